public import Basics

/// What a provider hands out at the end of a flow.
public protocol Session: Sendable {
    /// The session token; empty when the provider gave none.
    var value: Secret<String> { get }
}

/// No session: the flow ended well and nobody is signed in by it.
public struct EmptySession: Session {
    /// The empty text, which no session has.
    public let value = Secret("")

    /// Makes what stands for no session.
    public init() {}
}
