internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// The endpoint for pushed authorization requests (RFC 9126), of AM and PingOne.
///
/// Refuses by RFC 9126 section 2.3.
final class PushedRequests: Sendable {
    private static let lifetime = Duration.seconds(60)

    private struct Request {
        let client: String
        let parameters: QueryParameters
        let expires: Timestamp
    }

    private let journal: Journal
    private let requests = Locked(BoundedTable<Request>(capacity: 1000))

    init(_ journal: Journal) {
        self.journal = journal
    }

    /// Stores a pushed request.
    ///
    /// - Parameters:
    ///   - call: The request of the client.
    ///   - services: The provider's clients.
    ///   - code: Returns the OAuth error code for parameters that cannot be authorized; nil if they can.
    /// - Returns: 201 with the `request_uri`, or the refusal as JSON and never as a redirect (RFC 9126 section 2.3).
    func answer(
        _ call: SimulatedCall, _ services: OAuthServices, code: (QueryParameters) -> String?
    ) -> ServerResponse {
        guard let form = call.form, form.firstRepeatedName == nil, form.all("request_uri").isEmpty else {
            return .oauthError(400, "invalid_request", "A form with each parameter once, and no request_uri, is needed")
        }
        var parameters = QueryParameters()
        do throws(ClientCheck.RefusalError) {
            let client = try ClientCheck.client(of: call, form, services)
            for pair in form.pairs where !["client_id", "client_secret"].contains(pair.name) {
                parameters.append(pair.name, pair.value)
            }
            parameters.append("client_id", client.id)
            if let code = code(parameters) {
                return .oauthError(400, code, "The request that was pushed cannot be authorized")
            }
            let uri = "urn:ietf:params:oauth:request_uri:" + Identifier.random(24)
            journal.note(secret: uri)
            let kept = Request(client: client.id, parameters: parameters, expires: call.now + Self.lifetime)
            requests.withLock { $0[uri] = kept }
            return .json(
                201, ["request_uri": .string(uri), "expires_in": JSONValue(Self.lifetime.wholeSeconds)])
        } catch { return error.response }
    }

    /// Counts parameters beside `request_uri` that were not pushed with the same value (RFC 9101 section 6.3).
    ///
    /// - Parameters:
    ///   - sent: The parameters of the authorization request.
    ///   - found: The pushed parameters.
    ///   - own: The names of parameters that belong to the authorization request itself.
    func check(_ sent: QueryParameters, beside found: QueryParameters, allowing own: [String]) {
        let allowed = ["request_uri", "client_id"] + own
        if sent.pairs.contains(where: { !allowed.contains($0.name) && found.all($0.name) != [$0.value] }) {
            journal.warn(.parametersBesideRequestURI)
        }
    }

    /// Consumes a pushed request; nil if the URI is unknown, expired or another client's.
    func take(_ uri: String, client: String?, now: Timestamp) -> QueryParameters? {
        guard let found = requests.withLock({ $0.remove(uri) }), found.client == client, now < found.expires else {
            return nil
        }
        return found.parameters
    }
}
