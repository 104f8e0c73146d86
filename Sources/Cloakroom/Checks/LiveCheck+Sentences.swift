internal import Discovery
internal import HTTPCore
internal import OpenIDConnect

/// Errors in the words of an operator: what is wrong, and which setting or which place at the provider to change.
extension LiveCheck {
    static let unknownClient =
        "the provider does not know the client or refuses its secret; correct oidc.clientId, oidc.clientSecret or "
        + "oidc.clientAuthentication"

    static func sentence(_ error: DiscoveryError) -> String {
        switch error {
        case .unavailable(let fault): "the provider cannot be reached (\(fault.rawValue))"
        case .busy: "the provider is too busy"
        case .unexpectedStatus(let status): "the provider answers with status \(status)"
        case .malformed(let member): "the document is malformed" + (member.map { " at \($0)" } ?? "")
        case .missing(let member): "the document lacks \(member)"
        case .issuerMismatch(let found, let expected):
            "the document names the issuer \(found), expected \(expected); if that is right, set oidc.issuer: \(found)"
        case .addressRefused(let member):
            "the address under \(member) is on another origin; list it in oidc.endpointOrigins if that is right"
        case .cancelled: "interrupted"
        }
    }

    static func sentence(_ error: TransportError) -> String {
        switch error {
        case .notReached(let fault), .noUsableAnswer(let fault): "the provider cannot be reached (\(fault.rawValue))"
        case .cancelled: "interrupted"
        }
    }

    /// What the provider made of a registration; `refused` says what to do about a code of its own.
    static func sentence(_ error: OpenIDError, refused: (String, Int) -> String) -> String {
        switch error {
        case .rejected(let code, let status): refused(code, status)
        case .invalidClient: unknownClient
        case .noRevocation: "the provider has no revocation endpoint"
        case .notReached: "the provider cannot be reached"
        case .busy: "the provider is too busy"
        case .noUsableAnswer: "the provider gives no usable answer"
        case .invalidResponse(let check): "the provider's answer breaks the protocol (\(check))"
        case .configuration(let what): what
        case .loginRequired, .consentRequired, .invalidGrant, .invalidIDToken, .invalidUserinfo:
            "the provider's answer was not expected"
        case .cancelled: "interrupted"
        }
    }
}
