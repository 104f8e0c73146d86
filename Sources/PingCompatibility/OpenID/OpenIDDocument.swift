package import BFF
internal import JSON

/// Writes the answers of the OpenID endpoints.
package enum OpenIDDocument {
    /// The answer with a code, for a script.
    package static func code(_ code: String, state: String?) -> [UInt8] {
        var response: JSONObject = ["code": .string(code)]
        if let state { response["state"] = .string(state) }
        return JSONValue.object(["authorizeResponse": .object(response)]).serialized()
    }

    /// The answer to the exchange of a code: placeholders, which live as long as the session can.
    ///
    /// - Parameters:
    ///   - grant: The exchanged code.
    ///   - idToken: The placeholder of the ID token.
    ///   - user: The answer to `user`, as JSON.
    /// - Returns: The document.
    package static func tokens(_ grant: PlaceholderGrant, idToken: String, user: [UInt8]) -> [UInt8] {
        let scopes = ((try? JSONValue(parsing: user))?["token"]?["scope"]?.array ?? []).compactMap(\.string)
        return JSONValue.object([
            "access_token": .string(PlaceholderToken(id: grant.id).text), "token_type": "Bearer",
            "expires_in": JSONValue(grant.user.absolute), "id_token": .string(idToken),
            "scope": .string(scopes.joined(separator: " ")),
        ]).serialized()
    }

    /// The answer to `userinfo`: the subject and the claims of `user`.
    ///
    /// - Parameter user: The answer to `user`, as JSON.
    /// - Returns: The document.
    package static func claims(user: [UInt8]) -> [UInt8] {
        let user = try? JSONValue(parsing: user)
        var claims: JSONObject = ["sub": user?["subject"] ?? ""]
        for (name, value) in user?["claims"]?.object ?? [:] where name != "sub" { claims[name] = value }
        return JSONValue.object(claims).serialized()
    }

    /// An error as OAuth 2.0 has it (RFC 6749 section 5.2).
    package static func error(_ code: String, _ sentence: String) -> [UInt8] {
        JSONValue.object(["error": .string(code), "error_description": .string(sentence)]).serialized()
    }

    /// An error as PingOne has it, for a script that asks for a code or answers a node.
    ///
    /// - Parameters:
    ///   - code: The code of the error.
    ///   - sentence: The sentence for the developer.
    ///   - fields: What is wrong with single values.
    /// - Returns: The document.
    package static func details(
        _ code: String, _ sentence: String, _ fields: [(target: String, message: String)] = []
    ) -> [UInt8] {
        var detail: JSONObject = ["code": .string(code), "message": .string(sentence)]
        if !fields.isEmpty {
            let details = fields.map { field -> JSONValue in
                ["code": "INVALID_VALUE", "target": .string(field.target), "message": .string(field.message)]
            }
            detail["rawResponse"] = [
                "code": "INVALID_DATA", "message": .string(sentence), "details": .array(details),
            ]
        }
        return JSONValue.object([
            "code": .string(code), "message": .string(sentence), "details": [.object(detail)],
        ]).serialized()
    }
}
