internal import JSON

/// The metadata of the environment's provider (OpenID Connect Discovery section 3), as far as the simulator supports
/// it.
struct PingOneDiscovery: Sendable {
    let issuer: String
    let settings: SimulatorSettings

    var json: JSONObject {
        let scopes = Set(settings.clients.flatMap(\.scopes)).sorted()
        let endpoints = [
            ("authorization_endpoint", "authorize"), ("pushed_authorization_request_endpoint", "par"),
            ("token_endpoint", "token"), ("userinfo_endpoint", "userinfo"), ("jwks_uri", "jwks"),
            ("end_session_endpoint", "signoff"), ("ping_end_idp_session_endpoint", "idpSignoff"),
            ("revocation_endpoint", "revoke"), ("introspection_endpoint", "introspect"),
        ]
        var json: JSONObject = [
            "issuer": .string(issuer), "claims_parameter_supported": false, "request_parameter_supported": false,
            "request_uri_parameter_supported": false, "require_pushed_authorization_requests": false,
            "scopes_supported": .array(scopes.map { .string($0) }),
            "response_types_supported": ["code", "id_token", "none"],
            "response_modes_supported": ["pi.flow", "query", "fragment", "form_post"],
            "grant_types_supported": ["authorization_code", "refresh_token"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
            "code_challenge_methods_supported": ["S256"],
            "claims_supported": ["sub", "iss", "auth_time", "acr", "amr", "sid", "preferred_username", "email"],
        ]
        for (name, path) in endpoints { json[name] = .string("\(issuer)/\(path)") }
        return json
    }
}
