internal import JSON

/// The provider metadata (OpenID Connect Discovery section 3), as far as the simulator supports it.
struct DiscoveryDocument: Sendable {
    let issuer: String
    let settings: SimulatorSettings

    var json: JSONObject {
        let scopes = Set(settings.clients.flatMap(\.scopes)).sorted()
        let methods: JSONValue = ["client_secret_post", "none", "client_secret_basic"]
        return [
            "request_parameter_supported": false, "claims_parameter_supported": false,
            "introspection_endpoint": .string(issuer + "/introspect"), "issuer": .string(issuer),
            "authorization_endpoint": .string(issuer + "/authorize"), "claims_supported": [],
            "token_endpoint_auth_methods_supported": methods, "response_modes_supported": ["query"],
            "backchannel_logout_session_supported": true, "token_endpoint": .string(issuer + "/access_token"),
            "response_types_supported": ["code"], "revocation_endpoint_auth_methods_supported": methods,
            "introspection_endpoint_auth_methods_supported": methods, "request_uri_parameter_supported": false,
            "grant_types_supported": ["refresh_token", "client_credentials", "authorization_code"], "version": "3.0",
            "prompt_values_supported": ["none", "login", "consent"],
            "userinfo_endpoint": .string(issuer + "/userinfo"), "code_challenge_methods_supported": ["S256"],
            "scopes_supported": .array(scopes.map { .string($0) }),
            "authorization_response_iss_parameter_supported": true, "backchannel_logout_supported": true,
            "acr_values_supported": .array(settings.acrLevels.keys.sorted().map { .string($0) }),
            "require_pushed_authorization_requests": .bool(settings.requiresPushedRequests),
            "pushed_authorization_request_endpoint": .string(issuer + "/par"),
            "end_session_endpoint": .string(issuer + "/connect/endSession"),
            "revocation_endpoint": .string(issuer + "/token/revoke"), "subject_types_supported": ["public"],
            "jwks_uri": .string(issuer + "/connect/jwk_uri"),
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        ]
    }
}
