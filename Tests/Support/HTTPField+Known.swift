public import HTTPCore

extension HTTPField {
    /// A field of a test's own, where a bad value is a mistake in the test and ends it.
    public init(_ name: Name, known value: String) {
        do {
            try self.init(name, checking: value)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
