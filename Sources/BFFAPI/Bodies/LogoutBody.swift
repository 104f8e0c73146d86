/// The body of an instance's `logout`.
struct LogoutBody: Sendable, Equatable {
    /// The allowed members.
    static let members = ["session"]

    /// True if the provider session ends too, with the tokens of every instance that shares it.
    let session: Bool

    /// Reads the body.
    init(_ body: BodyMembers) throws(Problem) {
        try body.allow(only: Self.members)
        session = try body.flag("session")
    }
}
