/// The body of an instance's `logout`.
struct LogoutBody: Sendable, Equatable {
    /// The members that it takes.
    static let members = ["session"]

    /// Ends the provider session too, with the tokens of every instance that shares it.
    let session: Bool

    /// Reads the body.
    init(_ body: BodyMembers) throws(Problem) {
        try body.allow(only: Self.members)
        session = try body.flag("session")
    }
}
