public import Orchestrate

/// A consent that was given on behalf of the user.
public struct ConsentGrant: Sendable, Equatable {
    /// The client that may act for the user now.
    public let clientID: String
    /// The scopes that the client asked for.
    public let scopes: [String]

    /// A consent that the provider accepted.
    package init(clientID: String, scopes: [String]) {
        self.clientID = clientID
        self.scopes = scopes
    }
}

extension StorageKey where Item == ConsentGrant {
    /// Where consents are recorded that were given on behalf of the caller.
    ///
    /// A consent is saved as soon as the provider accepted it, and is never read back.
    public static var consents: StorageKey<ConsentGrant> { StorageKey("oidc.consents") }
}
