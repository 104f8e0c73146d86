import Basics

/// A client for one account of a browser: `standard`, `standard:alice`, `standard:alice%40example.com`.
package struct InstanceName: Hashable, Sendable {
    /// The client's name in the configuration, `[A-Za-z0-9_-]{1,32}`.
    package let client: String
    /// The account chosen by the SPA, percent-encoded; empty for the default account.
    package let account: String

    /// Makes an instance from its parts; the caller has checked both.
    package init(client: String, account: String) {
        self.client = client
        self.account = account
    }

    /// Reads `client` or `client:account`; nil for anything else.
    package init?(_ text: String) {
        // Most names have no account, and every request has a name.
        guard !text.isName else {
            self.init(client: text, account: "")
            return
        }
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        let client = text[..<(colon ?? text.endIndex)]
        let account = colon.map { text[text.utf8.index(after: $0)...] }
        guard client.isName, account?.isAccount ?? true else { return nil }
        self.init(client: String(client), account: account.map { String($0) } ?? "")
    }

    /// The text that names the instance in paths and answers.
    package var text: String { account.isEmpty ? client : "\(client):\(account)" }
}

extension StringProtocol {
    /// True if the text names an account: 1 to 128 bytes before encoding, in which all but letters, digits and `-._~`
    /// are percent-encoded (RFC 3986 section 2.1).
    ///
    /// The encoded text is ASCII, so that equal texts are equal bytes, as a store needs.
    package var isAccount: Bool {
        var count = 0
        for byte in utf8 {
            guard byte.isWordByte || [".", "~", "%"].contains(Unicode.Scalar(byte)) else { return false }
            count += byte == UInt8(ascii: "%") ? -1 : 1
        }
        return 1...128 ~= count
    }
}
