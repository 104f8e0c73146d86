internal import HTTPCore
public import JSON

extension ProviderMetadata {
    /// The largest document that is read, in bytes.
    static let maximumBytes = 256 * 1024

    /// Reads and checks a metadata document.
    ///
    /// - Parameters:
    ///   - json: The document.
    ///   - location: Where the document came from, and which origins it may name.
    /// - Throws: `.issuerMismatch` before any other member is checked; `.missing`, `.malformed`, `.addressRefused`.
    public init(_ json: JSONObject, from location: ProviderLocation) throws(DiscoveryError) {
        let issuer = try Self.checkIssuer(json, location)
        let addresses = try AddressReader(json, location, issuer: issuer)
        self.issuer = issuer
        authorizationEndpoint = try addresses.required("authorization_endpoint")
        tokenEndpoint = try addresses.required("token_endpoint")
        keySetAddress = try addresses.required("jwks_uri")
        userinfoEndpoint = try addresses.optional("userinfo_endpoint")
        let stated = location.endpoints
        let revocation = try addresses.optional("revocation_endpoint", or: stated.revocation)
        let introspection = try addresses.optional("introspection_endpoint", or: stated.introspection)
        revocationEndpoint = revocation ?? stated.derived("/token/revoke", issuer: issuer)
        introspectionEndpoint = introspection ?? stated.derived("/introspect", issuer: issuer)
        endSessionEndpoint = try addresses.optional("end_session_endpoint", or: stated.endSession)
        pingEndSessionEndpoint = try addresses.optional("ping_end_idp_session_endpoint")
        pushedAuthorizationRequestEndpoint = try addresses.optional("pushed_authorization_request_endpoint")
        requiresPushedAuthorizationRequests = try Self.flag(json, "require_pushed_authorization_requests")
        announcesIssuerInRedirect = try Self.flag(json, "authorization_response_iss_parameter_supported")
        tokenAuthenticationMethods = try Self.texts(json, "token_endpoint_auth_methods_supported")
        idTokenAlgorithms = try Self.texts(json, "id_token_signing_alg_values_supported")
        codeChallengeMethods = try Self.texts(json, "code_challenge_methods_supported")
        acrValues = try Self.texts(json, "acr_values_supported").flatMap { $0.isEmpty ? nil : $0 }
        self.json = json
    }

    /// Requires the configured issuer, or without one the issuer that the document's own address implies.
    static func checkIssuer(
        _ json: JSONObject, _ location: ProviderLocation
    ) throws(DiscoveryError) -> String {
        guard let value = json["issuer"] else { throw .missing(member: "issuer") }
        guard let issuer = value.string else { throw .malformed(member: "issuer") }
        if let expected = location.issuer {
            guard issuer.utf8.elementsEqual(expected.utf8) else {
                throw .issuerMismatch(found: printable(issuer), expected: expected)
            }
            return issuer
        }
        // No issuer is configured to compare with as text, so an explicit port or the case of the host does not matter.
        guard let address = WebURL(issuer), location.discovery.query == nil,
            trimmed(address.path) + ProviderLocation.suffix == location.discovery.path,
            address.origin == location.discovery.origin, address.query == nil
        else { throw .issuerMismatch(found: printable(issuer), expected: location.expectedIssuer) }
        return issuer
    }

    /// A provider's text, made safe for logs: at most 200 bytes, with `?` for each byte that is not printable ASCII.
    private static func printable(_ text: String) -> String {
        String(
            decoding: text.utf8.prefix(200).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    private static func trimmed(_ path: String) -> String {
        path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static func flag(_ json: JSONObject, _ name: String) throws(DiscoveryError) -> Bool {
        guard let value = json[name], !value.isNull else { return false }
        guard let flag = value.bool else { throw .malformed(member: name) }
        return flag
    }

    private static func texts(_ json: JSONObject, _ name: String) throws(DiscoveryError) -> [String]? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let elements = value.array else { throw .malformed(member: name) }
        return elements.compactMap(\.string)
    }
}

/// Reads addresses and refuses an origin that is neither the issuer's nor allow-listed, and a scheme that is not
/// allowed.
struct AddressReader {
    private let json: JSONObject
    private let location: ProviderLocation
    private let origins: Set<String>

    init(_ json: JSONObject, _ location: ProviderLocation, issuer: String) throws(DiscoveryError) {
        // RFC 8414 section 2: an issuer is an address without query and fragment.
        guard let address = WebURL(issuer), address.query == nil, location.allowsScheme(of: address) else {
            throw .addressRefused(member: "issuer")
        }
        self.json = json
        self.location = location
        origins = location.endpointOrigins.union([address.origin])
    }

    func required(_ name: String) throws(DiscoveryError) -> WebURL {
        guard let address = try optional(name) else { throw .missing(member: name) }
        return address
    }

    /// An address from the configuration is used unchecked, and the member that it replaces is not checked either.
    func optional(_ name: String, or stated: WebURL?) throws(DiscoveryError) -> WebURL? {
        if let stated { return stated }
        return try optional(name)
    }

    /// Nil when the member is absent, null or empty: the provider does not have the feature.
    func optional(_ name: String) throws(DiscoveryError) -> WebURL? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformed(member: name) }
        if text.isEmpty { return nil }
        guard let address = WebURL(text) else { throw .malformed(member: name) }
        guard origins.contains(address.origin), location.allowsScheme(of: address) else {
            throw .addressRefused(member: name)
        }
        return address
    }
}
