internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import JSON

/// Asks issuers about tokens (RFC 7662): one question per token at a time, answers kept shortly.
final class Introspector: Sendable {
    private struct Kept: Sendable {
        /// nil for an inactive token.
        let facts: TokenFacts?
        let until: Timestamp
    }

    private let transport: any HTTPTransport
    private let directory: ProviderDirectory
    private let time: any TimeSource
    private let flights = SingleFlight<TokenDigest, TokenFacts?>()
    private let kept: TokenCache<Kept>

    init(transport: any HTTPTransport, directory: ProviderDirectory, time: any TimeSource, capacity: Int) {
        self.transport = transport
        self.directory = directory
        self.time = time
        kept = TokenCache(capacity: capacity)
    }

    /// The facts of an active token.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - issuer: Who is asked.
    ///   - settings: How.
    ///   - fresh: Asks even when an answer is kept.
    ///   - deadline: The caller stops waiting at this instant; the question goes on for others who asked it.
    /// - Returns: The facts.
    /// - Throws: `.invalid` for an inactive token; `.unavailable`, `.misconfigured` when it cannot be judged.
    func facts(
        of token: BearerToken, _ issuer: TrustedIssuer, _ settings: IntrospectionSettings, fresh: Bool,
        deadline: ContinuousClock.Instant
    ) async throws(TokenRefusal) -> TokenFacts {
        let digest = token.digest
        let now = time.now()
        if !fresh, let known = kept[digest], now < known.until {
            guard let facts = known.facts, now < facts.expires + issuer.leeway else { throw .invalid(check: "active") }
            return facts
        }
        let facts: TokenFacts?
        do {
            facts = try await flights.run(digest, until: deadline) { [self] in
                // Whoever looked just before another's answer was kept does not ask again.
                if !fresh, let known = kept[digest], time.now() < known.until { return known.facts }
                return try await ask(token, digest, issuer, settings)
            }
        } catch let refusal as TokenRefusal {
            throw refusal
        } catch {
            throw .unavailable
        }
        guard let facts else { throw .invalid(check: "active") }
        return facts
    }

    private func ask(
        _ token: BearerToken, _ digest: TokenDigest, _ issuer: TrustedIssuer, _ settings: IntrospectionSettings
    ) async throws(TokenRefusal) -> TokenFacts? {
        let response = try await send(token, issuer, settings)
        let facts = try read(response, issuer)
        let now = time.now()
        let until = facts.map { min($0.expires, now + settings.keepActive) } ?? now + settings.keepInactive
        if until > now {
            kept.insert(Kept(facts: facts, until: until), for: token.digest)
        } else {
            kept.remove(token.digest)
        }
        return facts
    }

    private func send(
        _ token: BearerToken, _ issuer: TrustedIssuer, _ settings: IntrospectionSettings
    ) async throws(TokenRefusal) -> ClientResponse {
        let deadline = ContinuousClock.now + settings.timeout
        do {
            let metadata = try await directory.metadata(issuer.location, deadline: deadline)
            guard let endpoint = metadata.introspectionEndpoint else {
                throw TokenRefusal.misconfigured(what: "the issuer has no introspection endpoint")
            }
            return try await transport.send(try request(token, endpoint, settings), deadline: deadline)
        } catch let refusal as TokenRefusal {
            throw refusal
        } catch let error as DiscoveryError where !error.isTransient {
            throw .misconfigured(what: "the issuer's documents cannot be used")
        } catch {
            throw .unavailable
        }
    }

    private func request(
        _ token: BearerToken, _ endpoint: WebURL, _ settings: IntrospectionSettings
    ) throws(TokenRefusal) -> ClientRequest {
        var form = QueryParameters()
        form.append("token", token.text)
        form.append("token_type_hint", "access_token")
        let pair =
            PercentEncoding.encode(settings.clientID) + ":" + PercentEncoding.encode(settings.clientSecret.reveal())
        var fields: HTTPFields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        do { try fields.set(.authorization, checking: "Basic " + Base64.encode(pair.utf8)) } catch {
            throw TokenRefusal.misconfigured(what: "\(error)")
        }
        return ClientRequest(.post, endpoint, fields: fields, body: Array(form.encoded.utf8))
    }

    /// - Returns: nil for an inactive token.
    private func read(_ response: ClientResponse, _ issuer: TrustedIssuer) throws(TokenRefusal) -> TokenFacts? {
        switch response.status {
        case 200: break
        case 401, 403, 400: throw .misconfigured(what: "the issuer refuses our introspection credentials")
        default: throw .unavailable
        }
        guard let json = (try? JSONValue(parsing: response.body))?.object, let active = json["active"]?.bool else {
            throw .unavailable
        }
        guard active, let claims = try? JWTClaims(json) else { return nil }
        return isAcceptable(claims, issuer) ? facts(claims, issuer) : nil
    }

    private func facts(_ claims: JWTClaims, _ issuer: TrustedIssuer) -> TokenFacts? {
        claims.expires.map { TokenFacts(claims, issuer: issuer.issuer, expires: $0) }
    }

    /// What is checked although the issuer says active: its answer may come out of a cache.
    private func isAcceptable(_ claims: JWTClaims, _ issuer: TrustedIssuer) -> Bool {
        let now = time.now()
        if let named = claims.issuer, !named.isSameText(as: issuer.issuer) { return false }
        guard let expires = claims.expires, now < expires + issuer.leeway else { return false }
        if let notBefore = claims.notBefore, now + issuer.leeway < notBefore { return false }
        if let name = claims.string("tokenName"), name != "access_token" { return false }
        if claims.json["cnf"] != nil { return false }
        if let type = claims.string("token_type"), type.lowercased() != "bearer" { return false }
        return issuer.isMeantForUs(claims)
    }
}
