internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import JSON

/// Asks one issuer about tokens (RFC 7662), with one request in flight per token and a short-lived cache of answers.
final class Introspector: Sendable {
    /// The answer of the issuer about a token.
    enum Answer: Sendable {
        /// The token is active, and an access token for us.
        case active(TokenFacts)
        /// The token is refused by this check.
        case inactive(check: String)
        /// The issuer does not answer about tokens of this kind (status 400).
        case declined
    }

    private struct Kept: Sendable {
        let answer: Answer
        /// The time of the answer; while a clock that was set back is before it, the issuer is asked again.
        let from: Timestamp
        let until: Timestamp
    }

    private let issuer: TrustedIssuer
    private let location: ProviderLocation
    private let settings: IntrospectionSettings
    private let transport: any HTTPTransport
    private let directory: ProviderDirectory
    private let time: any TimeSource
    /// The requests in flight; a request that no caller waits for any more is cancelled.
    ///
    /// Any caller can cause requests, and abandoned ones would delay others.
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

    /// Asks the issuer about a token, or takes a cached answer.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - isVerified: True if its signature has already shown that it is an access token for us.
    ///   - fresh: Asks even if an answer is cached.
    ///   - deadline: The caller stops waiting at this instant; the request stays in flight for other callers that
    ///     wait for it, and is cancelled when none is left.
    /// - Returns: The answer, checked.
    /// - Throws: `.unavailable` or `.misconfigured` if there is no answer.
    func answer(
        about token: BearerToken, isVerified: Bool, fresh: Bool, deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> Answer {
        let digest = token.digest
        if !fresh, let known = known(digest) { return known }
        do {
            return try await flights.run(digest, until: deadline) { [self] in
                // Another caller's answer may have been cached since the look-up above.
                if !fresh, let known = known(digest) { return known }
                return try await ask(token, digest, isVerified)
            }
        } catch let refusal as TokenCheckError {
            throw refusal
        } catch {
            throw .unavailable(what: "the issuer did not answer in time")
        }
    }

    /// The cached answer about the token; nil if the issuer has to be asked.
    func known(_ digest: TokenDigest) -> Answer? {
        let now = time.now()
        guard let known = kept[digest],
            // rule: a remembered answer has its time
            now < known.until,
            // rule: a remembered answer is not of the future
            known.from <= now
        else { return nil }
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
            // An answer without the end of the token is not cached.
            case .active(let facts): facts.expires.map { min($0, now + settings.keepActive) } ?? now
            case .inactive, .declined: now + settings.keepInactive
            }
        if until > now {
            kept.insert(Kept(answer: answer, from: now, until: until), for: digest)
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
            case .cancelled: throw .unavailable(what: "every caller has left")
            }
        }
    }

    private func address(_ deadline: ContinuousClock.Instant) async throws(DocumentError) -> WebURL {
        if let configured = settings.endpoint { return configured }
        let metadata = try await directory.issuer(location, deadline: deadline)
        do throws(DiscoveryError) {
            return try metadata.introspectionEndpoint()
        } catch {
            // AM has an endpoint there, and some of its versions leave it out of the discovery document.
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
        // An HTML page comes from a gateway in front of the issuer, which knows nothing of tokens.
        if 400..<500 ~= response.status, json == nil, !response.body.isEmpty {
            throw .unavailable(what: "introspection answers with status \(response.status) and no JSON")
        }
        switch response.status {
        case 200: break
        case 400:
            // The error is about this token unless its code says otherwise: a forged token must not alarm an operator.
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
            // Signed answers (RFC 9701) are sent to clients that ask for them or that the provider registered for them.
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
