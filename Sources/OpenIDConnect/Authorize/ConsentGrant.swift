public import Orchestrate

/// A consent that was given in the place of the user.
public struct ConsentGrant: Sendable, Equatable {
    /// The client that may act for the user now.
    public let clientID: String
    /// What it asked for.
    public let scopes: [String]

    /// A consent that a provider took.
    package init(clientID: String, scopes: [String]) {
        self.clientID = clientID
        self.scopes = scopes
    }
}

extension StorageKey where Item == ConsentGrant {
    /// Where consents are noted that are given on behalf of the caller: one is saved as soon as the provider took it, and none
    /// is ever read.
    public static var consents: StorageKey<ConsentGrant> { StorageKey("oidc.consents") }
}
