internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

/// Finds out what a bearer token stands for: from what is remembered, from its signature, or from its issuer.
struct TokenVerifier: Sendable {
    private let issuers: [Issuer]
    private let byName: [String: Issuer]
    private let directory: ProviderDirectory
    private let time: any TimeSource
    private let verified: TokenCache<Verified>
    private let introspector: Introspector

    /// An issuer, with what is asked of it on every request worked out once.
    struct Issuer: Sendable {
        let trust: TrustedIssuer
        let location: ProviderLocation
    }

    /// A token whose signature was verified.
    private struct Verified: Sendable {
        let facts: TokenFacts
        let until: Timestamp
    }

    /// What can be said of a token without waiting.
    enum Standing: Sendable {
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

    /// - Parameters:
    ///   - issuers: Whose tokens are taken; each issuer once.
    ///   - transport: Introspects.
    ///   - directory: The provider documents.
    ///   - cachedTokens: How many verified tokens are remembered.
    ///   - time: The wall clock.
    init(
        _ issuers: [TrustedIssuer], transport: any HTTPTransport, directory: ProviderDirectory, cachedTokens: Int,
        time: any TimeSource
    ) {
        self.issuers = issuers.map { Issuer(trust: $0, location: $0.location) }
        byName = Dictionary(self.issuers.map { ($0.trust.issuer, $0) }) { first, _ in first }
        self.directory = directory
        self.time = time
        verified = TokenCache(capacity: cachedTokens)
        introspector = Introspector(
            transport: transport, directory: directory, time: time, capacity: cachedTokens)
    }

    /// What a token is remembered under; nil when nothing is remembered, and nobody has to make a digest.
    func digest(of token: UnsafeBufferPointer<UInt8>) -> TokenDigest? {
        verified.isInUse ? TokenDigest(UnsafeRawBufferPointer(token)) : nil
    }

    /// The facts of a token whose standing is known, once whoever has to be asked was asked.
    func facts(
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
            guard let confirmed = facts.confirmed(by: answer) else {
                throw .misconfigured(what: "the issuer answers about another token than the one it was asked about")
            }
            return confirmed
        case .unknown(let issuer, let settings):
            return try await introspector.facts(
                of: token, issuer.trust, settings, fresh: requirement.asksForStrength, deadline: deadline)
        case .unverified:
            throw .invalid(check: "signature")
        }
    }

    // MARK: Without waiting

    /// The standing of a token that was verified before; nil when it was not, or is too old to say.
    func known(_ digest: TokenDigest, _ requirement: Requirement) -> Standing? {
        let now = time.now()
        // After its end it is judged anew, and refused.
        guard let known = verified[digest], now < known.until, let issuer = byName[known.facts.issuer],
            now < known.facts.expires + issuer.trust.leeway
        else { return nil }
        return standing(known.facts, issuer, requirement)
    }

    /// The standing of a token that is not remembered.
    func standing(
        of token: BearerToken, _ digest: TokenDigest?, _ requirement: Requirement
    ) throws(TokenRefusal) -> Standing {
        guard let (jws, claims) = try parse(token) else { return try opaque() }
        guard let name = claims.issuer, let issuer = byName[name] else { throw .invalid(check: "iss") }
        if case .introspection(let settings) = issuer.trust.mode {
            // Unverified, but nobody presents a token of another kind to be let in.
            guard claims.mayBeAccessToken else { throw .invalid(check: "tokenName") }
            return .unknown(issuer, settings)
        }
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
