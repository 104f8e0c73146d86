import Basics
import OpenIDConnect

/// A named client of the configuration, built once and shared by all users.
package final class ClientDefinition: Sendable {
    /// The name in paths and in the configuration.
    package let name: String
    /// The client that runs the flows.
    package let flows: any FlowClient
    /// The client that renews and revokes the tokens, and reads claims with them.
    package let tokens: any TokenClient
    /// The session storage; clients with the same name share it.
    package let sessionStorage: String
    /// The token storage; clients with the same name share it.
    package let tokenStorage: String
    /// Limits that are tighter than the session's, counted from the client's sign-in.
    package let limits: ClientLimits
    /// The requirement that every token of this client has to meet before it is stored; nil for none.
    package let minimum: String?
    /// The optional values that a start may contain.
    package let allowed: StartAllowance
    /// The timeout of a provider call of this client.
    package let timeout: Duration
    /// The timeout of the provider's reply to the answers to a page.
    package let stepTimeout: Duration
    /// The accepted difference between the provider's clock and ours.
    package let leeway: Duration
    /// An access token is renewed this long before its end.
    package let refreshThreshold: Duration
    /// True if the provider session is prolonged while the user is active here.
    package let keepsSession: Bool
    /// True if pages are also shown in the provider's own form, for programs that speak its protocol.
    package let showsProviderPages: Bool
    /// A fingerprint of the client's settings, equal in all processes: a flow goes on only with the client that began
    /// it.
    package let fingerprint: [UInt8]
    // The fields of the default account; the fields of another account have its name at the end. They are stored
    // because every request needs one.
    private let sessionField: String
    private let tokenField: String
    private let userField: String

    /// A client with its storages and limits.
    package init(
        name: String, flows: any FlowClient, tokens: any TokenClient, sessionStorage: String, tokenStorage: String,
        limits: ClientLimits = ClientLimits(), minimum: String? = nil, allowed: StartAllowance = StartAllowance(),
        timeout: Duration = .seconds(30), stepTimeout: Duration? = nil, leeway: Duration = .seconds(60),
        refreshThreshold: Duration = .seconds(60),
        keepsSession: Bool = false, showsProviderPages: Bool = false, fingerprint: [UInt8] = []
    ) {
        self.name = name
        self.flows = flows
        self.tokens = tokens
        self.sessionStorage = sessionStorage
        self.tokenStorage = tokenStorage
        self.limits = limits
        self.minimum = minimum
        self.allowed = allowed
        self.timeout = timeout
        self.stepTimeout = stepTimeout ?? timeout
        self.leeway = leeway
        self.refreshThreshold = refreshThreshold
        self.keepsSession = keepsSession
        self.showsProviderPages = showsProviderPages
        self.fingerprint = fingerprint
        let kind = flows.kind
        sessionField = StorageAddress(kind: kind, purpose: .session, name: sessionStorage, account: "").field
        tokenField = StorageAddress(kind: kind, purpose: .token, name: tokenStorage, account: "").field
        userField = StorageAddress(kind: kind, purpose: .user, name: tokenStorage, account: "").field
    }

    /// True if the client's tokens have limits of their own or have to meet a requirement.
    ///
    /// Such tokens are never obtained silently, because a session alone does not show that the user is there.
    var isElevated: Bool { limits.idle != nil || limits.absolute != nil || minimum != nil }

    /// The time at which tokens end in any case: by the client's own limit, and by what their provider says.
    func limitEnd(of tokens: TokenSet, signedInAt: Timestamp) -> Timestamp? {
        // rule: tokens end when their provider wants the session to end | limits.absolute.map { signedInAt + $0 }
        return [limits.absolute.map { signedInAt + $0 }, tokens.sessionEnd].compactMap(\.self).min()
    }

    // Adding the empty text of the default account would copy the name each time.
    func sessionField(_ account: String) -> String {
        account.isEmpty ? sessionField : sessionField + account
    }

    func tokenField(_ account: String) -> String {
        account.isEmpty ? tokenField : tokenField + account
    }

    func userField(_ account: String) -> String {
        account.isEmpty ? userField : userField + account
    }
}

/// The limits by which a client's tokens end before the session does.
package struct ClientLimits: Sendable, Equatable {
    /// The time from the last use to the end; nil for the session's own idle timeout.
    package var idle: Duration?
    /// The time from the client's sign-in to the end; nil for the session's own end.
    package var absolute: Duration?

    /// Limits of one client; none by default.
    package init(idle: Duration? = nil, absolute: Duration? = nil) {
        self.idle = idle
        self.absolute = absolute
    }
}

/// The optional values that `start` may contain for one client, whatever its product.
///
/// A start with any other value is refused before anything is sent.
package struct StartAllowance: Sendable, Equatable {
    /// The names of the parameters that may be passed on to the provider.
    package var parameters: Set<String>
    /// The values that `acrValues` may contain.
    package var acrValues: Set<String>
    /// The values that `prompt` may have.
    package var prompts: Set<String>

    /// Makes an allowance; allows nothing by default.
    package init(parameters: Set<String> = [], acrValues: Set<String> = [], prompts: Set<String> = []) {
        self.parameters = parameters
        self.acrValues = acrValues
        self.prompts = prompts
    }
}
