internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import JSON

/// Asks one issuer about tokens (RFC 7662): one question per token at a time, answers kept shortly.
final class Introspector: Sendable {
    /// What the issuer says of a token.
    enum Answer: Sendable {
        /// It is active, and an access token for us.
        case active(TokenFacts)
        /// It is not, by this check.
        case inactive(check: String)
        /// The issuer does not answer about tokens of this kind (status 400).
        case declined
    }

    private struct Kept: Sendable {
        let answer: Answer
        let until: Timestamp
    }

    private let issuer: TrustedIssuer
    private let location: ProviderLocation
    private let settings: IntrospectionSettings
    private let transport: any HTTPTransport
    private let directory: ProviderDirectory
    private let time: any TimeSource
    /// Anybody may ask: what nobody waits for any more would only keep others waiting.
    private let flights: SingleFlight<TokenDigest, Answer>
    private let kept: TokenCache<Kept>

    init(
        _ issuer: TrustedIssuer, _ settings: IntrospectionSettings, transport: any HTTPTransport,
        directory: ProviderDirectory, time: any TimeSource, capacity: Int
    ) {
        self.issuer = issuer
        location = issuer.location
        self.settings = settings
        self.transport = transport
        self.directory = directory
        self.time = time
        flights = SingleFlight(time, endsUnawaited: true)
        kept = TokenCache(capacity: capacity)
    }

    /// What the issuer says.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - isVerified: Whether its signature showed already that it is an access token for us.
    ///   - fresh: Asks even when an answer is kept.
    ///   - deadline: The caller stops waiting at this instant; the question goes on for others who asked it, and ends when
    ///     nobody is left.
    /// - Returns: The answer, checked.
    /// - Throws: `.unavailable`, `.misconfigured` when there is none.
    func answer(
        about token: BearerToken, isVerified: Bool, fresh: Bool, deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> Answer {
        let digest = token.digest
        if !fresh, let known = known(digest) { return known }
        do {
            return try await flights.run(digest, until: deadline) { [self] in
                // Whoever looked just before another's answer was kept does not ask again.
                if !fresh, let known = known(digest) { return known }
                return try await ask(token, digest, isVerified)
            }
        } catch let refusal as TokenCheckError {
            throw refusal
        } catch {
            throw .unavailable(what: "the issuer did not answer in time")
        }
    }

    /// What the issuer said of the token lately; nil when it has to be asked.
    func known(_ digest: TokenDigest) -> Answer? {
        let now = time.now()
        // rule: a remembered answer has its time
        guard let known = kept[digest], now < known.until else { return nil }
        guard case .active(let facts) = known.answer, let expires = facts.expires, now >= expires + issuer.leeway else {
            return known.answer
        }
        return .inactive(check: "exp")
    }

    private func ask(
        _ token: BearerToken, _ digest: TokenDigest, _ isVerified: Bool
    ) async throws(TokenCheckError) -> Answer {
        let answer = try read(try await send(token), isVerified)
        let now = time.now()
        let until =
            switch answer {
            // An answer that does not say when the token ends is good for this one question.
            case .active(let facts): facts.expires.map { min($0, now + settings.keepActive) } ?? now
            case .inactive, .declined: now + settings.keepInactive
            }
        if until > now {
            kept.insert(Kept(answer: answer, until: until), for: digest)
        } else {
            kept.remove(digest)
        }
        return answer
    }

    private func send(_ token: BearerToken) async throws(TokenCheckError) -> ClientResponse {
        let deadline = ContinuousClock.now + settings.timeout
        let endpoint: WebURL
        do throws(DocumentError) { endpoint = try await address(deadline) } catch { throw TokenCheckError(error) }
        let request = try request(token, endpoint)
        do throws(TransportError) {
            return try await transport.send(request, deadline: deadline)
        } catch {
            switch error {
            case .notReached(let failure), .noUsableAnswer(let failure):
                throw .unavailable(what: "the introspection endpoint does not answer (\(failure.rawValue))")
            case .cancelled: throw .unavailable(what: "nobody waits any more")
            }
        }
    }

    private func address(_ deadline: ContinuousClock.Instant) async throws(DocumentError) -> WebURL {
        if let configured = settings.endpoint { return configured }
        let metadata = try await directory.issuer(location, deadline: deadline)
        do throws(DiscoveryError) {
            return try metadata.introspectionEndpoint()
        } catch {
            // AM answers there, and some of its versions do not say so in their documents.
            if issuer.profile == .am, error == .missing(member: "introspection_endpoint"),
                let derived = WebURL(metadata.issuer + "/introspect")
            {
                return derived
            }
            throw DocumentError(cause: error, retryAfter: .seconds(60))
        }
    }

    private func request(_ token: BearerToken, _ endpoint: WebURL) throws(TokenCheckError) -> ClientRequest {
        var form = QueryParameters()
        form.append("token", token.text)
        form.append("token_type_hint", "access_token")
        var fields: HTTPFields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        let secret = settings.clientSecret.reveal()
        switch settings.authentication {
        case .basic:
            let pair = PercentEncoding.encode(settings.clientID) + ":" + PercentEncoding.encode(secret)
            try Self.authorize(&fields, pair)
        case .basicRaw:
            try Self.authorize(&fields, settings.clientID + ":" + secret)
        case .post:
            form.append("client_id", settings.clientID)
            form.append("client_secret", secret)
        }
        var request = ClientRequest(.post, endpoint, fields: fields, body: Array(form.encoded.utf8))
        request.purpose = .introspection
        return request
    }

    private static func authorize(_ fields: inout HTTPFields, _ pair: String) throws(TokenCheckError) {
        do { try fields.set(.authorization, checking: "Basic " + Base64.encode(pair.utf8)) } catch {
            throw .misconfigured(what: "the introspection credentials fit into no header field")
        }
    }

    private func read(_ response: ClientResponse, _ isVerified: Bool) throws(TokenCheckError) -> Answer {
        let json = (try? JSONValue(parsing: response.body))?.object
        // A page is a gateway's in front of the issuer, which knows nothing of tokens.
        if 400..<500 ~= response.status, json == nil, !response.body.isEmpty {
            throw .unavailable(what: "introspection answers with status \(response.status) and no JSON")
        }
        switch response.status {
        case 200: break
        case 400:
            // About this token, unless it says otherwise: nobody has to act because somebody sent a made-up one.
            let error = json?["error"]?.string
            if let error, ["invalid_client", "unauthorized_client"].contains(where: error.isSameText) {
                throw Self.refusesUs
            }
            return .declined
        case 401, 403: throw Self.refusesUs
        case 406: throw .misconfigured(what: "the issuer does not give plain JSON answers to our introspection client")
        default: throw .unavailable(what: "introspection answers with status \(response.status)")
        }
        guard let json, let active = json["active"]?.bool else {
            let isJWT =
                response.body.count { $0 == UInt8(ascii: ".") } == 2 && response.body.starts(with: Array("ey".utf8))
            // Signed answers (RFC 9701) come to those who ask for them, or whom the provider has registered so.
            if isJWT { throw .misconfigured(what: "introspection answers with a signed JWT that was not asked for") }
            throw .unavailable(what: "the answer to introspection cannot be read")
        }
        // rule: an inactive token is refused
        guard active else { return .inactive(check: "active") }
        guard let claims = try? JWTClaims(json) else { return .inactive(check: "form") }
        do throws(TokenCheckError) {
            return .active(
                try IntrospectionChecks(issuer: issuer, now: time.now(), isVerified: isVerified).check(claims))
        } catch {
            guard case .invalid(let check, _) = error else { throw error }
            return .inactive(check: check)
        }
    }

    private static let refusesUs = TokenCheckError.misconfigured(
        what: "the issuer refuses our introspection credentials", retryAfter: .seconds(30))
}
