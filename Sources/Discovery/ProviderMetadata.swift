public import HTTPCore
public import JSON

/// A provider's metadata (OpenID Connect Discovery 3, RFC 8414 section 2), checked when it is read.
public struct ProviderMetadata: Sendable, Equatable {
    /// `issuer`, exactly as written; tokens must carry the same text.
    public let issuer: String
    /// `authorization_endpoint`.
    public let authorizationEndpoint: WebURL
    /// `token_endpoint`.
    public let tokenEndpoint: WebURL
    /// `jwks_uri`.
    public let keySetAddress: WebURL
    /// `userinfo_endpoint`.
    public let userinfoEndpoint: WebURL?
    /// `revocation_endpoint`.
    public let revocationEndpoint: WebURL?
    /// `introspection_endpoint`.
    public let introspectionEndpoint: WebURL?
    /// `end_session_endpoint`.
    public let endSessionEndpoint: WebURL?
    /// `ping_end_idp_session_endpoint`, PingOne's own.
    public let pingEndSessionEndpoint: WebURL?
    /// `pushed_authorization_request_endpoint`.
    public let pushedAuthorizationRequestEndpoint: WebURL?
    /// `require_pushed_authorization_requests`, false when absent.
    public let requiresPushedAuthorizationRequests: Bool
    /// `authorization_response_iss_parameter_supported`, false when absent; when true, the redirect must carry `iss`
    /// (RFC 9207).
    public let announcesIssuerInRedirect: Bool
    /// `token_endpoint_auth_methods_supported`; nil when absent, which means `client_secret_basic`.
    public let tokenAuthenticationMethods: [String]?
    /// `id_token_signing_alg_values_supported`; nil when absent.
    public let idTokenAlgorithms: [String]?
    /// `code_challenge_methods_supported`; nil when absent.
    public let codeChallengeMethods: [String]?
    /// `acr_values_supported`; nil when absent or empty: AM publishes an empty list that has no meaning.
    public let acrValues: [String]?
    /// The document as received.
    public let json: JSONObject
}
