internal import HTTPCore
internal import JSON

/// Why a provider refuses a call, in its own words as far as a log may have them.
struct ProviderErrorReport: Sendable, Equatable {
    /// The status and, where the provider said one, its `error`, or `code` and `reason`.
    var code: String
    /// Its sentence, cut; nil when it said none, or when a user's answers may be in it.
    var message: String?

    /// The most characters of a provider's text that reach a log.
    static let longest = 200

    /// Reads an answer; nil when it refuses nothing.
    ///
    /// A user who mistypes a password is refused by a journey, not the server: that is an outcome, and the flow says it. AM's
    /// sessions endpoint answers 404 to a version of its interface that it does not speak, and is asked again in another; 401
    /// says of a session that it is gone, which whoever ends one wants.
    init?(_ response: ClientResponse, to call: String) {
        switch response.status {
        case 400...:
            let body = response.body.count <= 64 * 1024 ? (try? JSONValue(parsing: response.body)) : nil
            switch (response.status, call) {
            // A page in their place is a gateway's.
            case (401, "authenticate"), (401, "sessions"), (404, "sessions"):
                if body != nil || response.body.isEmpty { return nil }
            default: break
            }
            // A node of a DaVinci flow refuses what a user has entered.
            if response.status == 400, body?["interactionId"]?.string != nil, body?["connectorId"]?.string != nil {
                return nil
            }
            code = Self.text(body?["error"]?.string ?? body?["reason"]?.string) ?? "status \(response.status)"
            message = Self.text(body?["error_description"]?.string ?? body?["message"]?.string)
        case 300..<400:
            // An authorization endpoint refuses by a redirect.
            guard let location = response.fields[.location], let mark = location.firstIndex(of: "?"),
                let query = QueryParameters(parsing: String(location[location.index(after: mark)...])),
                let error = Self.text(query.single("error"))
            else { return nil }
            code = error
            message = Self.text(query.single("error_description"))
        default: return nil
        }
    }

    /// A provider's text without what may be a secret: a provider may quote the token that it does not take.
    static func text(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let printable = text.prefix(longest).map { $0.isASCII && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" }
        return String(printable).split(separator: " ", omittingEmptySubsequences: false).map { word in
            isSecret(word) ? "…" : String(word)
        }.joined(separator: " ")
    }

    /// Long words with digits in them, or longer than any word of a language.
    private static func isSecret(_ word: Substring) -> Bool {
        let count = word.utf8.count
        return count > 40 || count >= 16 && word.contains { $0.isNumber }
    }
}
