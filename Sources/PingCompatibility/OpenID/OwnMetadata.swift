internal import JSON

/// The discovery document of an instance: addresses of this server in place of the provider's.
package struct OwnMetadata: Sendable {
    /// The addresses below the issuer, by member.
    private let endpoints: [(name: String, path: String)]
    private let issuer: String

    /// The metadata of a journey client; `issuer` is the absolute address of the realm below `oauth2`.
    package static func journey(issuer: String) -> OwnMetadata {
        OwnMetadata(
            endpoints: [
                ("authorization_endpoint", "/authorize"), ("token_endpoint", "/access_token"),
                ("userinfo_endpoint", "/userinfo"), ("end_session_endpoint", "/connect/endSession"),
                ("revocation_endpoint", "/token/revoke"),
            ], issuer: issuer)
    }

    /// The metadata of a DaVinci client; `issuer` is the absolute address that ends with `as`.
    package static func davinci(issuer: String) -> OwnMetadata {
        OwnMetadata(
            endpoints: [
                ("authorization_endpoint", "/authorize"), ("token_endpoint", "/token"),
                ("userinfo_endpoint", "/userinfo"), ("end_session_endpoint", "/signoff"),
                ("ping_end_idp_session_endpoint", "/idpSignoff"), ("revocation_endpoint", "/revoke"),
            ], issuer: issuer)
    }

    /// The document as JSON.
    ///
    /// With `pi.flow` Ping's programs ask for a code by a script instead of a frame.
    package var document: [UInt8] {
        var document: JSONObject = ["issuer": .string(issuer)]
        for (name, path) in endpoints { document[name] = .string(issuer + path) }
        document["response_types_supported"] = ["code", "none", "id_token"]
        document["response_modes_supported"] = ["query", "fragment", "pi.flow"]
        document["grant_types_supported"] = ["authorization_code"]
        document["subject_types_supported"] = ["public"]
        document["code_challenge_methods_supported"] = ["S256"]
        document["id_token_signing_alg_values_supported"] = [.string(PlaceholderToken.algorithm)]
        document["require_pushed_authorization_requests"] = false
        return JSONValue.object(document).serialized()
    }
}
