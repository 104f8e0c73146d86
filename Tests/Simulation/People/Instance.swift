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

    /// The field of its tokens in a session.
    var tokenField: String { "token/journey/\(Definition.tokenStorage(client))/\(account)" }

    /// Whether its tokens end by limits of their own.
    var hasLimits: Bool { client == "transaction" || client == "kiosk" }
}
