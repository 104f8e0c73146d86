internal import JSON

/// The provider metadata of OpenAM, which omits revocation and introspection although both work.
struct OpenAMDiscovery: Sendable {
    let issuer: String
    let settings: SimulatorSettings

    var json: JSONObject {
        let scopes = Set(settings.clients.flatMap(\.scopes)).sorted()
        return [
            "response_types_supported": ["code", "code token", "token"], "claims_parameter_supported": false,
            "end_session_endpoint": .string(issuer + "/connect/endSession"), "version": "3.0",
            "check_session_iframe": .string(issuer + "/connect/checkSession"),
            "scopes_supported": .array(scopes.map { .string($0) }), "issuer": .string(issuer),
            "id_token_encryption_enc_values_supported": [
                "A256GCM", "A192GCM", "A128GCM", "A128CBC-HS256", "A192CBC-HS384", "A256CBC-HS512",
            ],
            "acr_values_supported": .array(settings.acrJourneys.keys.sorted().map { .string($0) }),
            "authorization_endpoint": .string(issuer + "/authorize"),
            "userinfo_endpoint": .string(issuer + "/userinfo"),
            "device_authorization_endpoint": .string(issuer + "/device/code"), "claims_supported": [],
            "id_token_encryption_alg_values_supported": [
                "RSA-OAEP", "RSA-OAEP-256", "A128KW", "RSA1_5", "A256KW", "dir", "A192KW",
            ],
            "jwks_uri": .string(issuer + "/connect/jwk_uri"), "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [
                "ES384", "HS256", "HS512", "ES256", "RS256", "HS384", "ES512",
            ],
            "registration_endpoint": .string(issuer + "/connect/register"),
            "token_endpoint_auth_methods_supported": [
                "client_secret_post", "private_key_jwt", "none", "client_secret_basic",
            ],
            "token_endpoint": .string(issuer + "/access_token"),
        ]
    }
}
