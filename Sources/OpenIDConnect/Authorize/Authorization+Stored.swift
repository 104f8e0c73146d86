internal import Basics
internal import HTTPCore
internal import JSON

extension Authorization {
    private static let version = 1

    /// The members of the stored form.
    private struct Stored: Codable {
        var version: Int
        var issuer: String
        var clientID: String
        var redirectURI: String
        var endpoint: String
        var method: Method
        var parameters: String
        var state: String
        var nonce: String
        var verifier: String
        var acr: [String]
        var notBefore: Timestamp?
        /// The greatest age that was asked for, in milliseconds.
        var maxAge: Int64?
        var expires: Timestamp
        var isSpent: Bool
    }

    /// The stored form: JSON with a member `version`, the secrets in clear, for a sealed store only.
    ///
    /// - Throws: When it is beyond the limits of `JSONCodec`.
    public func encode() throws(EncodingError) -> [UInt8] {
        try JSONCodec().encode(
            Stored(
                version: Self.version, issuer: issuer, clientID: clientID, redirectURI: redirectURI,
                endpoint: endpoint.text, method: method, parameters: parameters.encoded, state: state.reveal(),
                nonce: nonce.reveal(), verifier: pkce.verifier.reveal(), acr: demands.acr,
                notBefore: demands.notBefore, maxAge: demands.maxAge?.milliseconds, expires: expires,
                isSpent: isSpent))
    }

    /// Reads the stored form.
    ///
    /// - Throws: For what `encode()` did not write, and for another version; says where and never holds a value.
    public init(decoding bytes: [UInt8]) throws(DecodingError) {
        let stored = try JSONCodec().decode(Stored.self, from: bytes)
        guard stored.version == Self.version, let endpoint = WebURL(stored.endpoint),
            let parameters = QueryParameters(parsing: stored.parameters)
        else {
            throw .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "no such authorization"))
        }
        issuer = stored.issuer
        clientID = stored.clientID
        redirectURI = stored.redirectURI
        self.endpoint = endpoint
        method = stored.method
        self.parameters = parameters
        state = Secret(stored.state)
        nonce = Secret(stored.nonce)
        pkce = PKCE(verifier: Secret(stored.verifier))
        demands = SignInDemands(
            acr: stored.acr, notBefore: stored.notBefore, maxAge: stored.maxAge.map { .milliseconds($0) })
        expires = stored.expires
        isSpent = stored.isSpent
    }
}
