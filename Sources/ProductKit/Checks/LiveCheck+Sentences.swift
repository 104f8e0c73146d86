package import Discovery
package import HTTPCore
package import OpenIDConnect

/// Errors as sentences for an operator: the problem, and the setting or the place at the provider to change.
extension LiveCheck {
    /// The sentence for refused credentials, with advice on their encoding.
    package static func unknownClient(_ settings: OpenIDClientSettings) -> String {
        unknownClient + (settings.authenticationAdvice.map { "; \($0)" } ?? "")
    }

    private static let unknownClient =
        "the provider does not know the client or refuses its secret; correct oidc.clientId, oidc.clientSecret or "
        + "oidc.clientAuthentication"

    /// The sentence for a document or key set that cannot be had.
    ///
    /// - Parameters:
    ///   - error: The error of discovery.
    ///   - url: The address of the document.
    ///   - correct: The setting or place that holds the address.
    ///   - section: The section with the settings of the provider.
    /// - Returns: A sentence.
    package static func sentence(
        _ error: DiscoveryError, at url: WebURL, correct: String, section: String = "oidc"
    ) -> String {
        switch error {
        case .unavailable(let failure): sentence(failure, at: url, correct: correct)
        case .busy: "the provider is too busy"
        case .unexpectedStatus(let status): "\(url.text) answers with status \(status); correct \(correct)"
        case .malformed(let member): "the document is malformed" + (member.map { " at \($0)" } ?? "")
        case .missing(let member): "the document lacks \(member)"
        case .issuerMismatch(let found, let expected):
            "the document names the issuer \(found), expected \(expected); if that is right, set \(section).issuer: \(found)"
        case .addressRefused(let member):
            "the address under \(member) is on another origin; list it in \(section).endpointOrigins if that is right"
        case .cancelled: "interrupted"
        }
    }

    package static func sentence(_ error: TransportError, at url: WebURL, correct: String = "serverUrl") -> String {
        switch error {
        case .notReached(let failure), .noUsableAnswer(let failure): sentence(failure, at: url, correct: correct)
        case .cancelled: "interrupted"
        }
    }

    /// The sentence for an address that is not reached or gives no usable answer, with the setting to change.
    private static func sentence(_ failure: ExchangeError, at url: WebURL, correct: String) -> String {
        let place = "\(url.host):\(url.port)"
        return switch failure {
        case .tls: "no TLS 1.2 or newer is spoken at \(place), or its certificate is unfit; correct \(correct)"
        case .certificateExpired:
            "the certificate of \(place) has expired or is not valid yet; renew it there, or correct the clock of this machine"
        case .certificateHost:
            "the certificate of \(place) is for other host names; correct \(correct), or have \(url.host) added to it"
        case .certificateAuthority:
            "the certificate of \(place) is of an authority that is not trusted here; name your CA's file in outbound.caFile"
        case .resolve: "the name \(url.host) is not known; correct \(correct), or outbound.proxy"
        case .connect: "nothing listens at \(place); correct \(correct), or outbound.proxy"
        case .timeout: "\(place) does not answer in time; correct \(correct), or outbound.proxy"
        case .closed, .malformed, .tooLarge, .refusedLocally, .invalidRequest:
            "\(place) gives no usable answer (\(failure.rawValue))"
        }
    }

    /// The sentence for the provider's answer to a registration; `refused` makes the sentence for an error code and
    /// status.
    package static func sentence(_ error: OpenIDError, refused: (String, Int) -> String) -> String {
        switch error {
        case .rejected(let code, let status): refused(code, status)
        case .invalidClient: unknownClient
        case .noRevocation: "the provider has no revocation endpoint"
        case .notReached: "the provider cannot be reached"
        case .busy: "the provider is too busy"
        case .noUsableAnswer: "the provider gives no usable answer"
        case .invalidResponse(let check, _): "the provider's answer breaks the protocol (\(check))"
        case .configuration(let what): what
        case .loginRequired, .consentRequired, .invalidGrant, .noRefreshToken, .invalidIDToken, .invalidUserinfo:
            "the provider's answer was not expected"
        case .cancelled: "interrupted"
        }
    }
}
