public import Basics
internal import Discovery
public import HTTPCore
internal import JOSE

/// The parameters with which a browser ends its session at the provider (OpenID Connect RP-Initiated Logout 1.0).
public struct EndSessionOptions: Sendable, Equatable {
    /// `id_token_hint`; with it the address is a secret and may be used in a navigation only.
    public var idToken: Secret<String>?
    /// `logout_hint`, which names the user to sign out; nil to leave it out.
    public var logoutHint: String?
    /// `post_logout_redirect_uri`, as registered.
    public var redirectURI: String?
    /// `state`, which the redirect URI receives back.
    public var state: String?

    /// Options of one logout; none by default.
    public init(
        idToken: Secret<String>? = nil, logoutHint: String? = nil, redirectURI: String? = nil, state: String? = nil
    ) {
        self.idToken = idToken
        self.logoutHint = logoutHint
        self.redirectURI = redirectURI
        self.state = state
    }
}

extension OpenIDClient {
    /// The address where a browser ends its session at the provider.
    ///
    /// - Parameters:
    ///   - options: The parameters of the request.
    ///   - deadline: Gives up at this instant; only the metadata are fetched.
    /// - Returns: The address of `end_session_endpoint`, or of PingOne's own endpoint where there is no other.
    /// - Throws: `.configuration` when the provider has neither; otherwise like `metadata(deadline:)`.
    public func endSessionAddress(
        _ options: EndSessionOptions = EndSessionOptions(), deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> WebURL {
        guard let first = try await endSessionAddresses(options, deadline: deadline).first else {
            throw .configuration("no end session endpoint")
        }
        return first
    }

    /// The addresses where a session can be ended, in the order in which to try them.
    ///
    /// - Parameters:
    ///   - options: The parameters of the requests.
    ///   - preferringPing: True if PingOne's own endpoint comes before `end_session_endpoint`.
    ///   - deadline: Gives up at this instant; only the metadata are fetched.
    /// - Returns: One address or two.
    /// - Throws: Like `endSessionAddress(_:deadline:)`.
    package func endSessionAddresses(
        _ options: EndSessionOptions, preferringPing: Bool = false, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> [WebURL] {
        let metadata = try await metadata(deadline: deadline)
        let endpoints = [metadata.endSessionEndpoint, metadata.pingEndSessionEndpoint].compactMap(\.self)
        guard !endpoints.isEmpty else { throw .configuration("no end session endpoint") }
        return (preferringPing ? endpoints.reversed() : endpoints).map { address(of: $0, options) }
    }

    private func address(of endpoint: WebURL, _ options: EndSessionOptions) -> WebURL {
        var address = endpoint
        address.append(parameter: "client_id", options.idToken.flatMap(audience) ?? settings.clientID)
        if let idToken = options.idToken { address.append(parameter: "id_token_hint", idToken.reveal()) }
        if let hint = options.logoutHint { address.append(parameter: "logout_hint", hint) }
        if let redirectURI = options.redirectURI {
            address.append(parameter: "post_logout_redirect_uri", redirectURI)
            if let state = options.state { address.append(parameter: "state", state) }
        }
        return address
    }

    /// The client that an ID token was issued to, if it is not this client.
    ///
    /// Both clients share the session, and the provider refuses a hint that was not issued to the named client
    /// (RP-Initiated Logout section 2).
    private func audience(of idToken: Secret<String>) -> String? {
        guard let token = try? JWS.parse(idToken.reveal()), let claims = try? JWTClaims.parse(token.payload),
            !claims.audiences.contains(settings.clientID)
        else { return nil }
        return claims.audiences.first
    }
}
