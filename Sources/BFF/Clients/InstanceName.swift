import Basics

/// A client for one account of a browser: `standard`, `standard:alice`.
package struct InstanceName: Hashable, Sendable {
    /// The client's name in the configuration, `[A-Za-z0-9_-]{1,32}`.
    package let client: String
    /// The account chosen by the SPA, `[A-Za-z0-9_-]{1,32}`; empty for the default account.
    package let account: String

    /// An instance from its parts; the caller has checked both.
    init(client: String, account: String) {
        self.client = client
        self.account = account
    }

    /// Reads `client` or `client:account`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let client = text[..<(colon ?? text.endIndex)]
        let account = colon.map { text[text.utf8.index(after: $0)...] }
        guard client.isName, account?.isName ?? true else { return nil }
        self.client = String(client)
        self.account = account.map { String($0) } ?? ""
    }

    /// The text that names the instance in paths and answers.
    package var text: String { account.isEmpty ? client : "\(client):\(account)" }
}
