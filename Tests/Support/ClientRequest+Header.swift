public import HTTPCore

extension ClientRequest {
    /// The value of a header by its name in any case, several values joined; nil when it is not there.
    public func header(_ name: String) -> String? {
        (try? HTTPField.Name(checking: name)).flatMap { fields[$0] }
    }

    /// All values of a header.
    public func headers(_ name: String) -> [String] {
        (try? HTTPField.Name(checking: name)).map { fields[values: $0] } ?? []
    }
}
