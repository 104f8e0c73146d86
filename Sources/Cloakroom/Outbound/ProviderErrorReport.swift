internal import HTTPCore
internal import JSON

/// Why a provider refuses a call, in the provider's own words as far as they may be logged.
struct ProviderErrorReport: Sendable, Equatable {
    /// The provider's `error` or `reason`, else the status.
    var code: String
    /// The provider's sentence, cut; nil when it sent none.
    var message: String?

    /// The most characters of a provider's text that reach a log.
    static let longest = 200

    /// Reads an answer; nil when it refuses nothing, or when it refuses a user's input.
    ///
    /// A journey that refuses a mistyped password refuses the user, not the server: that is an outcome, which the flow
    /// reports. AM's sessions endpoint answers 404 to a version of its interface that it does not support, and the
    /// client then tries another version; its 401 means that the session is gone, as a sign-out intends.
    init?(_ response: ClientResponse, to call: String) {
        switch response.status {
        case 400...:
            let body = response.body.count <= 64 * 1024 ? (try? JSONValue(parsing: response.body)) : nil
            switch (response.status, call) {
            // A page instead of JSON comes from a gateway.
            case (401, "authenticate"), (401, "sessions"), (404, "sessions"):
                if body != nil || response.body.isEmpty { return nil }
            default: break
            }
            // A node of a DaVinci flow refuses the user's input.
            if response.status == 400, body?["interactionId"]?.string != nil, body?["connectorId"]?.string != nil {
                return nil
            }
            code = Self.text(body?["error"]?.string ?? body?["reason"]?.string) ?? "status \(response.status)"
            message = Self.text(body?["error_description"]?.string ?? body?["message"]?.string)
        case 300..<400:
            // An authorization endpoint refuses with a redirect.
            guard let location = response.fields[.location], let mark = location.firstIndex(of: "?"),
                let query = QueryParameters(parsing: String(location[location.index(after: mark)...])),
                let error = Self.text(query.single("error"))
            else { return nil }
            code = error
            message = Self.text(query.single("error_description"))
        default: return nil
        }
    }

    /// A provider's text without words that may be secret: a provider may quote the token that it refuses.
    static func text(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let printable = text.prefix(longest).map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" }
        return String(printable).split(separator: " ", omittingEmptySubsequences: false).map { word in
            isSecret(word) ? "…" : String(word)
        }.joined(separator: " ")
    }

    /// True for long words with digits, and for words longer than any of a language.
    private static func isSecret(_ word: Substring) -> Bool {
        let count = word.utf8.count
        return count > 40 || count >= 16 && word.contains { $0.isNumber }
    }
}
