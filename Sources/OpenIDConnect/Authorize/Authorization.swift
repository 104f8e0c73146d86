public import Basics
internal import Cryptography
internal import Discovery
public import HTTPCore

/// One authorization, from its request until its answer: what is asked of the provider, and what the answer is checked
/// against (RFC 6749 section 4.1, RFC 7636, OpenID Connect Core 3.1.2).
///
/// A value: whoever sends the user away stores it, sealed and bound to that user's browser session, finds it again by its
/// `state`, and calls `finish` with what came back to the redirect URI. It is good for one answer. Copies do not know of
/// each other, so a stored one is removed before `finish`; the provider refuses a code that comes twice in any case.
///
/// - SeeAlso: `OpenIDClient.authorization(_:deadline:)`.
public struct Authorization: Sendable, Equatable {
    /// How a request travels to the authorization endpoint (OpenID Connect Core 3.1.2.1: providers take both).
    public enum Method: String, Sendable {
        /// In the query of the address.
        case get
        /// As a form, when the parameters are too long for an address or shall stay out of its logs.
        case post
    }

    /// What has to be sent, by a browser or by whoever speaks for the user.
    public enum Request: Sendable, Equatable {
        /// A `GET` of an address.
        case get(WebURL)
        /// A `POST` of a form to an address.
        case post(WebURL, QueryParameters)
    }

    /// The issuer that was asked; no other one may answer (RFC 9207).
    public let issuer: String
    /// The client that asks.
    public let clientID: String
    /// Where the answer goes.
    public let redirectURI: String
    /// The authorization endpoint.
    public let endpoint: WebURL
    /// How it is sent.
    public let method: Method
    /// What is asked, without the values that are random in each authorization.
    public let parameters: QueryParameters
    /// Comes back with the answer: the key under which it is stored (RFC 6749 section 10.12).
    public let state: Secret<String>
    let nonce: Secret<String>
    let pkce: PKCE
    let demands: SignInDemands
    /// The end of its life.
    public let expires: Timestamp
    /// Whether an answer to it was taken, be it an error.
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

    /// What is asked, with the values that are random in each authorization: never log it.
    package var allParameters: QueryParameters {
        var all = parameters
        all.append("state", state.reveal())
        all.append("nonce", nonce.reveal())
        all.append("code_challenge", pkce.challenge)
        all.append("code_challenge_method", "S256")
        return all
    }
}

/// What an ID token has to show of the sign-in that it speaks of.
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
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Authorization: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Issuer and client; parameters may say who the user is.
    public var description: String { "Authorization(issuer: \(issuer), client: \(clientID))" }
    /// Issuer and client; parameters may say who the user is.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
