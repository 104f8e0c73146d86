package import BFF
internal import Basics
package import HTTPCore
internal import JSON

/// A request to the authorization endpoint, as Ping's programs send it.
package struct CodeRequest: Sendable, Equatable {
    /// The things that a request can ask for.
    package enum Kind: String, Sendable {
        /// A code for placeholders of tokens.
        case code
        /// No token: only whether the user is signed in.
        case none
        /// A placeholder of an ID token.
        case idToken = "id_token"
    }

    /// The thing that is asked for.
    package let kind: Kind
    /// True if a script reads the answer as JSON (`pi.flow`); false if it is a redirect.
    package let isForScript: Bool
    /// The redirect URI; nil for none.
    package let redirectURI: WebURL?
    /// The redirect URI as sent.
    package let redirectText: String?
    /// The program's own id for itself; nil for none.
    package let clientID: String?
    /// The `state` to be repeated; nil for none.
    package let state: String?
    /// The `nonce` to be repeated; nil for none.
    package let nonce: String?
    /// The PKCE challenge; nil for none.
    package let challenge: String?
    /// The authentication contexts, one of which the sign-in must have; empty for any.
    package let acrValues: [String]
    /// The greatest age of the sign-in in seconds; nil for any.
    package let maxAge: Int64?
    /// True if no page may be shown.
    package let isSilent: Bool
    /// True if the user has to act, in a page that this endpoint does not have (OpenID Connect Core 3.1.2.1).
    package let demandsUser: Bool

    /// Reads a query.
    ///
    /// - Throws: `.malformed` or `.repeated` with the parameter.
    package init(_ query: QueryParameters) throws(BFFError) {
        if let name = query.firstRepeatedName { throw .repeated(field: name) }
        func text(_ name: String, upTo limit: Int = 2048) throws(BFFError) -> String? {
            guard let value = query.single(name) else { return nil }
            guard value.isPlain(upTo: limit) else { throw .malformed(field: name) }
            return value
        }
        let (type, mode) = (try text("response_type") ?? "code", try text("response_mode"))
        guard let kind = Kind(rawValue: type) else { throw .malformed(field: "response_type") }
        isForScript = mode?.isSameText(as: "pi.flow") ?? false
        self.kind = kind
        redirectText = try text("redirect_uri")
        redirectURI = redirectText.flatMap { WebURL($0) }
        if let redirectText, redirectURI == nil || redirectText.utf8.contains(UInt8(ascii: "#")) {
            throw .malformed(field: "redirect_uri")
        }
        clientID = try text("client_id", upTo: 256)
        state = try text("state")
        nonce = try text("nonce")
        challenge = try text("code_challenge", upTo: 128)
        if challenge != nil, try text("code_challenge_method") != "S256" {
            throw .malformed(field: "code_challenge_method")
        }
        acrValues = (try text("acr_values") ?? "").split(byte: " ").map { String($0) }
        let age = try text("max_age", upTo: 20)
        maxAge = age.flatMap { Int64($0) }
        if age != nil, maxAge.map({ $0 < 0 }) ?? true { throw .malformed(field: "max_age") }
        let prompts = (try text("prompt") ?? "").split(byte: " ")
        isSilent = prompts.contains { $0.isSameText(as: "none") }
        demandsUser = prompts.contains { !$0.isSameText(as: "none") }
    }

    /// The query by which links of a flow carry the request to the flow's end.
    package var carried: String {
        var query = QueryParameters()
        query.append("response_mode", "pi.flow")
        for case (let name, let value?) in [
            ("redirect_uri", redirectText), ("client_id", clientID), ("state", state), ("nonce", nonce),
            ("code_challenge", challenge), ("code_challenge_method", challenge.map { _ in "S256" }),
        ] {
            query.append(name, value)
        }
        return query.encoded
    }

    /// The request that the exchange of a code has to fit.
    package var placeholder: PlaceholderRequest {
        PlaceholderRequest(redirectURI: redirectText, challenge: challenge, nonce: nonce)
    }

    /// True if a user's sign-in is as strong and as recent as the request demands; a fact that is missing is not met.
    ///
    /// - Parameters:
    ///   - user: The answer to `user`, as JSON.
    ///   - now: Seconds since 1970.
    /// - Returns: True if every demand is met.
    package func isMet(by user: [UInt8], now: Int64) -> Bool {
        guard !acrValues.isEmpty || maxAge != nil else { return true }
        let token = (try? JSONValue(parsing: user))?["token"]
        // rule: a code for a strong sign-in is for a sign-in of that strength
        if !acrValues.isEmpty, !acrValues.contains(where: { token?["acr"]?.string == $0 }) { return false }
        guard let maxAge else { return true }
        guard let time = token?["authTime"]?.int else { return false }
        // rule: a code for a recent sign-in is for a sign-in of that age | true
        return now - time <= maxAge
    }

    /// The redirect URI with these parameters, in the fragment for a token and in the query for all others.
    package func redirect(_ parameters: [(String, String?)]) -> String {
        var sent = QueryParameters()
        for case (let name, let value?) in parameters + [("state", state)] { sent.append(name, value) }
        let address = redirectText ?? ""
        if kind == .idToken { return address + "#" + sent.encoded }
        guard !sent.pairs.isEmpty else { return address }
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + sent.encoded
    }
}
