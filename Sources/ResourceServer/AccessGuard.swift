public import Basics
public import Discovery
public import HTTPCore
internal import JOSE
public import Logging

/// Decides on requests to an API by their access tokens; knows no HTTP server and answers nothing itself.
///
/// ```swift
/// let decision = await guard.decide(authorization: request.headers["authorization"], highValue)
/// ```
public final class AccessGuard: Sendable {
    private let issuers: [Issuer]
    private let byName: [String: Issuer]
    private let directory: ProviderDirectory
    private let time: any TimeSource
    private let logger: Logger
    private let verified: TokenCache<Verified>
    private let introspector: Introspector

    /// An issuer, with what is asked of it on every request worked out once.
    private struct Issuer: Sendable {
        let trust: TrustedIssuer
        let location: ProviderLocation
    }

    /// A token whose signature was verified.
    private struct Verified: Sendable {
        let facts: TokenFacts
        let until: Timestamp
    }

    /// What can be said of a token without waiting.
    private enum Standing {
        /// Valid, and nobody has to be asked.
        case valid(TokenFacts)
        /// Valid by its signature; the issuer has to be asked as well.
        case confirmable(TokenFacts, Issuer, IntrospectionSettings)
        /// The issuer has to be asked.
        case unknown(Issuer, IntrospectionSettings)
        /// Keys have to be fetched.
        case unverified(JWS, JWTClaims, Issuer)
    }

    /// How long a verified token is remembered: a key that its issuer withdraws must not live on in a cache.
    private static let remembered = Duration.seconds(600)

    /// Guards an API.
    ///
    /// - Parameters:
    ///   - issuers: Whose tokens are taken; each issuer once.
    ///   - transport: Fetches keys and introspects.
    ///   - directory: The provider documents; shared with whoever else reads them.
    ///   - cachedTokens: How many verified tokens are remembered; zero verifies each request's token anew.
    ///   - time: The wall clock.
    ///   - logger: For refusals, by check, and for alarms.
    /// - Throws: `.issuerTwice`.
    public init(
        issuers: [TrustedIssuer], transport: any HTTPTransport, directory: ProviderDirectory,
        cachedTokens: Int = 10_000, time: any TimeSource = SystemTime(), logger: Logger
    ) throws(ResourceServerSettingsError) {
        guard Set(issuers.map(\.issuer)).count == issuers.count else { throw .issuerTwice }
        self.issuers = issuers.map { Issuer(trust: $0, location: $0.location) }
        byName = Dictionary(self.issuers.map { ($0.trust.issuer, $0) }) { first, _ in first }
        self.directory = directory
        self.time = time
        self.logger = logger
        verified = TokenCache(capacity: cachedTokens)
        introspector = Introspector(
            transport: transport, directory: directory, time: time, capacity: cachedTokens)
    }

    /// Decides on one request.
    ///
    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field, in order.
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    ///   - deadline: Gives up at this instant.
    /// - Returns: Never an error: a token that cannot be judged now is `.unavailable`.
    /// - SeeAlso: RFC 6750, RFC 9470; protocol/oidc.md 9.5 on the order of the checks.
    public func decide(
        authorization: [String], otherTransports: Bool = false, _ requirement: Requirement,
        deadline: ContinuousClock.Instant = .now + .seconds(10)
    ) async -> AccessDecision {
        switch look(authorization, otherTransports, requirement) {
        case .decided(let decision):
            return decision
        case .undecided(let token, let standing):
            do {
                return judge(try await facts(of: token, standing, requirement, deadline), requirement)
            } catch {
                return refuse(error)
            }
        }
    }

    /// Decides on one request when nothing has to be waited for: a token that was seen before, or one whose issuer's keys
    /// are at hand.
    ///
    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field, in order.
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    /// - Returns: What `decide` would return; nil when it would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        authorization: [String], otherTransports: Bool = false, _ requirement: Requirement
    ) -> AccessDecision? {
        guard case .decided(let decision) = look(authorization, otherTransports, requirement) else { return nil }
        return decision
    }

    /// Decides on a request that has one `Authorization` field, which is only lent, see `decideAtOnce` for texts.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    /// - Returns: What `decide` would return; nil when it would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        field: UnsafeBufferPointer<UInt8>, otherTransports: Bool = false, _ requirement: Requirement
    ) -> AccessDecision? {
        guard case .decided(let decision) = look(field, otherTransports, requirement) else { return nil }
        return decision
    }

    /// What one look at a request tells.
    private enum Look {
        case decided(AccessDecision)
        case undecided(BearerToken, Standing)
    }

    private func look(_ authorization: [String], _ otherTransports: Bool, _ requirement: Requirement) -> Look {
        guard authorization.count <= 1 else { return .decided(.challenge(Challenge(.invalidRequest))) }
        guard var field = authorization.first else {
            return .decided(.challenge(Challenge(otherTransports ? .invalidRequest : .noToken)))
        }
        return field.withUTF8 { look($0, otherTransports, requirement) }
    }

    private func look(
        _ field: UnsafeBufferPointer<UInt8>, _ otherTransports: Bool, _ requirement: Requirement
    ) -> Look {
        var digest: TokenDigest?
        let token: BearerToken
        do throws(BearerTokenError) {
            guard !otherTransports else { throw BearerTokenError() }
            guard let found = try BearerToken.find(in: field) else { return .decided(.challenge(Challenge(.noToken))) }
            if verified.isInUse {
                // Before its form is looked at: what is known was of the form.
                let made = TokenDigest(UnsafeRawBufferPointer(found))
                digest = made
                if let known = known(made, requirement) {
                    guard case .valid(let facts) = known else { return .undecided(try BearerToken(found), known) }
                    return .decided(judge(facts, requirement))
                }
            }
            token = try BearerToken(found)
        } catch {
            return .decided(.challenge(Challenge(.invalidRequest)))
        }
        do throws(TokenRefusal) {
            let standing = try standing(of: token, digest, requirement)
            guard case .valid(let facts) = standing else { return .undecided(token, standing) }
            return .decided(judge(facts, requirement))
        } catch {
            return .decided(refuse(error))
        }
    }

    /// Scope and strength of a valid token.
    private func judge(_ facts: TokenFacts, _ requirement: Requirement) -> AccessDecision {
        let shortfall = requirement.shortfall(of: facts, at: time.now())
        if shortfall.isNone { return .allow(facts) }
        // A client has nobody who could authenticate better.
        if shortfall.isTooWeak, !facts.isClientCredentials {
            return .challenge(Challenge(.insufficientAuthentication, requirement: requirement))
        }
        return .challenge(Challenge(.insufficientScope, requirement: requirement))
    }

    private func refuse(_ refusal: TokenRefusal) -> AccessDecision {
        switch refusal {
        case .invalid(let check):
            logger.debug("Token refused", metadata: ["check": .string(check)])
            return .challenge(Challenge(.invalidToken))
        case .unavailable:
            logger.warning("A token cannot be judged: the issuer does not answer")
            return .unavailable
        case .misconfigured(let what):
            logger.error("A token cannot be judged", metadata: ["cause": .string(what)])
            return .unavailable
        }
    }

    private func facts(
        of token: BearerToken, _ standing: Standing, _ requirement: Requirement, _ deadline: ContinuousClock.Instant
    ) async throws(TokenRefusal) -> TokenFacts {
        var standing = standing
        if case .unverified(let jws, let claims, let issuer) = standing {
            try await verify(jws, issuer, deadline)
            standing = try accepted(verified.isInUse ? token.digest : nil, jws, claims, issuer, requirement)
        }
        switch standing {
        case .valid(let facts):
            return facts
        case .confirmable(let facts, let issuer, let settings):
            // In mode `both` a requirement that asks for strength also asks the issuer, past every cache.
            let answer = try await introspector.facts(
                of: token, issuer.trust, settings, fresh: true, deadline: deadline)
            return facts.confirmed(by: answer)
        case .unknown(let issuer, let settings):
            return try await introspector.facts(
                of: token, issuer.trust, settings, fresh: requirement.asksForStrength, deadline: deadline)
        case .unverified:
            throw .invalid(check: "signature")
        }
    }

    // MARK: Without waiting

    /// The standing of a token that was verified before; nil when it was not, or is too old to say.
    private func known(_ digest: TokenDigest, _ requirement: Requirement) -> Standing? {
        let now = time.now()
        // After its end it is judged anew, and refused.
        guard let known = verified[digest], now < known.until, let issuer = byName[known.facts.issuer],
            now < known.facts.expires + issuer.trust.leeway
        else { return nil }
        return standing(known.facts, issuer, requirement)
    }

    private func standing(
        of token: BearerToken, _ digest: TokenDigest?, _ requirement: Requirement
    ) throws(TokenRefusal) -> Standing {
        guard let (jws, claims) = try parse(token) else { return try opaque() }
        guard let name = claims.issuer, let issuer = byName[name] else { throw .invalid(check: "iss") }
        if case .introspection(let settings) = issuer.trust.mode { return .unknown(issuer, settings) }
        guard let algorithm = jws.header.algorithm, issuer.trust.algorithms.contains(algorithm) else {
            throw .invalid(check: "alg")
        }
        guard let keys = directory.cachedKeys(at: issuer.location) else { return .unverified(jws, claims, issuer) }
        do {
            try jws.verify(with: keys, allowing: issuer.trust.algorithms)
        } catch .unknownKey {
            return .unverified(jws, claims, issuer)
        } catch {
            throw .invalid(check: "signature")
        }
        return try accepted(digest, jws, claims, issuer, requirement)
    }

    /// The claims of a token whose signature is good; it is remembered under the digest.
    private func accepted(
        _ digest: TokenDigest?, _ jws: JWS, _ claims: JWTClaims, _ issuer: Issuer, _ requirement: Requirement
    ) throws(TokenRefusal) -> Standing {
        let now = time.now()
        let facts = try JWTChecks(issuer: issuer.trust, now: now).check(jws.header, claims)
        if let digest { verified.insert(Verified(facts: facts, until: now + Self.remembered), for: digest) }
        return standing(facts, issuer, requirement)
    }

    private func standing(_ facts: TokenFacts, _ issuer: Issuer, _ requirement: Requirement) -> Standing {
        guard case .both(let settings) = issuer.trust.mode, requirement.asksForStrength else { return .valid(facts) }
        return .confirmable(facts, issuer, settings)
    }

    /// A token that is no JWT: the first issuer that can be asked.
    ///
    /// No other is asked: it would learn tokens that are not its own.
    private func opaque() throws(TokenRefusal) -> Standing {
        for issuer in issuers {
            guard let settings = issuer.trust.mode.introspection else { continue }
            return .unknown(issuer, settings)
        }
        throw .invalid(check: "form")
    }

    /// - Returns: nil for a token that does not look like a JWT.
    private func parse(_ token: BearerToken) throws(TokenRefusal) -> (JWS, JWTClaims)? {
        guard token.hasThreeParts else { return nil }
        do {
            let jws = try JWS.parse(token.bytes)
            return (jws, try JWTClaims.parse(jws.payload))
        } catch {
            throw .invalid(check: "form")
        }
    }

    // MARK: After fetching keys

    private func verify(
        _ jws: JWS, _ issuer: Issuer, _ deadline: ContinuousClock.Instant
    ) async throws(TokenRefusal) {
        do {
            let metadata = try await directory.metadata(issuer.location, deadline: deadline)
            let keys = try await directory.keys(for: metadata, deadline: deadline)
            do {
                try jws.verify(with: keys, allowing: issuer.trust.algorithms)
            } catch .unknownKey(let id) {
                let fresh = try await directory.keys(for: metadata, afterUnknown: id, deadline: deadline)
                try jws.verify(with: fresh, allowing: issuer.trust.algorithms)
            }
        } catch let error as DiscoveryError {
            throw error.isTransient ? .unavailable : .misconfigured(what: "the issuer's documents cannot be used")
        } catch {
            throw .invalid(check: "signature")
        }
    }
}

/// What becomes of a request to an API.
public enum AccessDecision: Sendable, Equatable {
    /// The token meets the requirement.
    case allow(TokenFacts)
    /// It does not; the challenge says why.
    case challenge(Challenge)
    /// It cannot be judged now: 503, never "signed out".
    case unavailable
}
