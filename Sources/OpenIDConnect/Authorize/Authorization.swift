public import Basics
internal import Cryptography
internal import Discovery
public import HTTPCore

/// One authorization, from its request to its answer: the request parameters, and the values that the answer is checked
/// against (RFC 6749 section 4.1, RFC 7636, OpenID Connect Core 3.1.2).
///
/// A value: the caller stores it, sealed and bound to the user's browser session, finds it again by its `state`, and
/// calls `finish` with the answer that came to the redirect URI. It takes one answer. Copies do not know of each other,
/// so the caller removes a stored one before `finish`; the provider refuses a code that is used twice in any case.
///
/// - SeeAlso: `OpenIDClient.authorization(_:deadline:)`.
public struct Authorization: Sendable, Equatable {
    /// How the request is sent to the authorization endpoint (OpenID Connect Core 3.1.2.1: providers accept both).
    public enum Method: String, Sendable {
        /// As a query in the address.
        case get
        /// As a form, when the parameters are too long for an address or must stay out of logs of addresses.
        case post
    }

    /// The HTTP request to send, by a browser or by the code that acts for the user.
    public enum Request: Sendable, Equatable {
        /// A `GET` of an address.
        case get(WebURL)
        /// A `POST` of a form to an address.
        case post(WebURL, QueryParameters)
    }

    /// The issuer that is asked; no other issuer may answer (RFC 9207).
    public let issuer: String
    /// The client that asks for the authorization.
    public let clientID: String
    /// The redirect URI, which receives the answer.
    public let redirectURI: String
    /// The authorization endpoint.
    public let endpoint: WebURL
    /// The HTTP method of the request.
    public let method: Method
    /// The request parameters without `state`, `nonce` and the code challenge, which are random in each authorization.
    public let parameters: QueryParameters
    /// The `state` parameter, which the answer repeats; the key under which the authorization is stored (RFC 6749
    /// section 10.12).
    public let state: Secret<String>
    let nonce: Secret<String>
    let pkce: PKCE
    let demands: SignInDemands
    /// The authorization accepts no answer from this time on.
    public let expires: Timestamp
    /// True if an answer was accepted, be it an error.
    public internal(set) var isSpent: Bool

    /// The request with all its parameters.
    ///
    /// It holds `state` and `nonce`: never log it.
    public var request: Request {
        guard method == .get else { return .post(endpoint, allParameters) }
        var address = endpoint
        for pair in allParameters.pairs { address.append(parameter: pair.name, pair.value) }
        return .get(address)
    }

    /// The request parameters, with `state`, `nonce` and the code challenge: never log them.
    package var allParameters: QueryParameters {
        var all = parameters
        all.append("state", state.reveal())
        all.append("nonce", nonce.reveal())
        all.append("code_challenge", pkce.challenge)
        all.append("code_challenge_method", "S256")
        return all
    }
}

/// The requirements that the sign-in in an ID token must meet.
struct SignInDemands: Sendable, Equatable {
    var acr: [String] = []
    var notBefore: Timestamp?
    var maxAge: Duration?
}

extension Authorization {
    /// A new authorization.
    ///
    /// - Throws: `.configuration` for a parameter that the client sets itself.
    init(
        _ settings: OpenIDClientSettings, _ metadata: ProviderMetadata, _ options: AuthorizeOptions, now: Timestamp
    ) throws(OpenIDError) {
        issuer = metadata.issuer
        clientID = settings.clientID
        redirectURI = settings.redirectURI
        endpoint = metadata.authorizationEndpoint
        method = options.method
        parameters = try Self.parameters(settings, options)
        state = Secret(SecureRandom.token(24))
        nonce = Secret(SecureRandom.token(24))
        pkce = PKCE()
        demands = SignInDemands(acr: options.requiredACR, notBefore: options.notBefore, maxAge: options.maxAge)
        expires = now + options.lifetime
        isSpent = false
    }

    private static func parameters(
        _ settings: OpenIDClientSettings, _ options: AuthorizeOptions
    ) throws(OpenIDError) -> QueryParameters {
        var parameters = QueryParameters()
        parameters.append("client_id", settings.clientID)
        parameters.append("response_type", "code")
        if options.answersByPost { parameters.append("response_mode", "form_post") }
        parameters.append("scope", settings.scopes.joined(separator: " "))
        parameters.append("redirect_uri", settings.redirectURI)
        let acrValues = options.acrValues.isEmpty ? settings.acrValues : options.acrValues
        if !acrValues.isEmpty { parameters.append("acr_values", acrValues.joined(separator: " ")) }
        if !options.uiLocales.isEmpty { parameters.append("ui_locales", options.uiLocales.joined(separator: " ")) }
        let extra = settings.parameters.merging(options.parameters) { _, caller in caller }
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
            guard !OpenIDClientSettings.reservedParameters.contains(name), name != "ui_locales" else {
                throw .configuration("the parameter \(name) is set by the client itself")
            }
            parameters.append(name, value)
        }
        return parameters
    }
}

extension Authorization.Request: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and address without query.
    public var description: String {
        switch self {
        case .get(let address): "GET \(address.origin + address.path)"
        case .post(let address, _): "POST \(address.origin + address.path)"
        }
    }
    /// Method and address without query.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value does not print the parameters.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Issuer and client only; the parameters may identify the user.
    public var description: String { "Authorization(issuer: \(issuer), client: \(clientID))" }
    /// Issuer and client only; the parameters may identify the user.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value prints no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
