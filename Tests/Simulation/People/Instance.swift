/// A client and an account of a browser: `standard:alice`.
struct Instance: Hashable, CustomStringConvertible, Sendable {
    let client: String
    /// Empty for the default one.
    let account: String

    init(_ client: String, _ account: String = "") {
        self.client = client
        self.account = account
    }

    /// As paths name it.
    var description: String { account.isEmpty ? client : "\(client):\(account)" }

    /// Whether its client is one of DaVinci.
    var isDaVinci: Bool { Definition.davinciNames.contains(client) }

    /// The field of its tokens in a session.
    var tokenField: String {
        "token/\(isDaVinci ? "davinci" : "journey")/\(Definition.tokenStorage(client))/\(account)"
    }

    /// Whether its tokens end by limits of their own.
    var hasLimits: Bool { isElevated || client == "kiosk" }

    /// Whether its tokens are those of a step-up.
    var isElevated: Bool { client == "transaction" || client == "approver" }

    /// The instances of the account that share its session at the provider.
    var sharing: [Instance] {
        (isDaVinci ? Definition.davinciNames : ["standard", "other", "transaction"]).map { Instance($0, account) }
    }
}
