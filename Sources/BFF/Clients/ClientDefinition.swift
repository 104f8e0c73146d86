/// A named client of the configuration, built once and shared by all users.
package final class ClientDefinition: Sendable {
    /// The name in paths and in the configuration.
    package let name: String
    /// What runs the flows.
    package let flows: any FlowClient
    /// What renews and revokes the tokens, and reads claims with them.
    package let tokens: any TokenClient
    /// The session storage; clients with the same name share it.
    package let sessionStorage: String
    /// The token storage; clients with the same name share it.
    package let tokenStorage: String
    /// Tighter limits than the session's, counted from the client's sign-in.
    package let limits: ClientLimits
    /// The requirement that every token of this client has to meet before it is stored; nil for none.
    package let minimum: String?
    /// What `start` may ask for.
    package let allowed: StartAllowance
    /// The longest a provider call of this client may take.
    package let timeout: Duration
    /// The longest the provider may take for the answer to a page.
    package let stepTimeout: Duration
    /// How far the provider's clock may be off.
    package let leeway: Duration
    /// Renews an access token this long before its end.
    package let refreshThreshold: Duration
    /// Whether the provider session is prolonged while the user is active here.
    package let keepsSession: Bool
    /// Tells clients of other settings apart, in any process: a flow goes on with the client that began it alone.
    package let fingerprint: [UInt8]
    // The fields of the default account, and of the others up to the account's name: every request asks for one.
    private let sessionField: String
    private let tokenField: String
    private let userField: String

    /// A client with its storages and limits.
    package init(
        name: String, flows: any FlowClient, tokens: any TokenClient, sessionStorage: String, tokenStorage: String,
        limits: ClientLimits = ClientLimits(), minimum: String? = nil, allowed: StartAllowance = StartAllowance(),
        timeout: Duration = .seconds(30), stepTimeout: Duration? = nil, leeway: Duration = .seconds(60),
        refreshThreshold: Duration = .seconds(60),
        keepsSession: Bool = false, fingerprint: [UInt8] = []
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
        self.fingerprint = fingerprint
        let kind = flows.kind
        sessionField = StorageAddress(kind: kind, purpose: .session, name: sessionStorage, account: "").field
        tokenField = StorageAddress(kind: kind, purpose: .token, name: tokenStorage, account: "").field
        userField = StorageAddress(kind: kind, purpose: .user, name: tokenStorage, account: "").field
    }

    /// Whether its tokens end by limits of their own or have to meet a requirement; such tokens are never obtained
    /// silently, because a session alone does not show that the user is there.
    var isElevated: Bool { limits.idle != nil || limits.absolute != nil || minimum != nil }

    func sessionField(_ account: String) -> String {
        sessionField + account
    }

    func tokenField(_ account: String) -> String {
        tokenField + account
    }

    func userField(_ account: String) -> String {
        userField + account
    }
}

/// When a client's tokens end before the session does.
package struct ClientLimits: Sendable, Equatable {
    /// Ends this long after the last use; nil for the session's own idle time.
    package var idle: Duration?
    /// Ends this long after the client's sign-in; nil for the session's own end.
    package var absolute: Duration?

    /// Limits of one client; none by default.
    package init(idle: Duration? = nil, absolute: Duration? = nil) {
        self.idle = idle
        self.absolute = absolute
    }
}

/// What `start` may ask of one client, whatever its product; everything else is refused before anything is sent.
package struct StartAllowance: Sendable, Equatable {
    /// The parameters that may be passed on.
    package var parameters: Set<String>
    /// The values of `acrValues` that may be asked for.
    package var acrValues: Set<String>
    /// The values of `prompt` that may be asked for.
    package var prompts: Set<String>

    /// An allowance; nothing unless said.
    package init(parameters: Set<String> = [], acrValues: Set<String> = [], prompts: Set<String> = []) {
        self.parameters = parameters
        self.acrValues = acrValues
        self.prompts = prompts
    }
}
