public import Basics

/// The session that a provider creates at the end of a flow.
public protocol Session: Sendable {
    /// The session token; empty when the provider gave none.
    var value: Secret<String> { get }
}

/// The absence of a session: the flow ended well without signing the user in.
public struct EmptySession: Session {
    /// The empty token, which no real session has.
    public let value = Secret("")

    /// Makes the value that stands for no session.
    public init() {}
}
