package import HTTPCore
internal import JSON

/// The JSON body of an OAuth error (RFC 6749 section 5.2).
package enum OAuthErrorBody {
    /// The `error` member; empty when the body is not an OAuth error.
    package static func code(in response: ClientResponse) -> String {
        guard let scanner = try? JSONScanner(response.body), let code = scanner.string("error") else { return "" }
        return printable(code)
    }

    /// True if the body is an OAuth error, so that a 4xx comes from the provider itself.
    ///
    /// A page, or JSON of another shape, comes from a gateway in front of the provider. Codes are one word; gateways
    /// write sentences in the member (`"error": "Not Found"`).
    package static func isDocument(_ response: ClientResponse) -> Bool {
        let code = code(in: response)
        return !code.isEmpty && !code.utf8.contains(UInt8(ascii: " "))
    }

    /// At most 64 bytes of a provider's text, made safe for logs: `?` for each byte that is not printable ASCII.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(64).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
