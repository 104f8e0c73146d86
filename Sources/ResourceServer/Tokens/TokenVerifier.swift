internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

/// Finds the facts of a bearer token in the cache, by its signature, or by asking its issuer.
struct TokenVerifier: Sendable {
    private let issuers: [Issuer]
    /// The entries of each issuer, by each of its spellings, in the order of the configuration.
    private let byName: [String: [Issuer]]
    private let directory: ProviderDirectory
    private let time: any TimeSource
    private let verified: TokenCache<Verified>

    /// An entry of the configuration, with values that every request needs computed once.
    final class Issuer: Sendable {
        let index: Int
        let trust: TrustedIssuer
        let location: ProviderLocation
        /// The introspector of the issuer; nil if its tokens are not introspected.
        let introspector: Introspector?
        /// The keys that the directory had last: found without a look-up by the address of the issuer.
        private let keys = Locked<CachedKeys?>(nil)

        init(index: Int, trust: TrustedIssuer, location: ProviderLocation, introspector: Introspector?) {
            self.index = index
            self.trust = trust
            self.location = location
            self.introspector = introspector
        }

        /// The cached keys of the issuer and the time when they need renewal; nil when they are not fresh.
        func cachedKeys(in directory: ProviderDirectory, at now: Timestamp) -> CachedKeys? {
            if let known = keys.withLock({ $0 }), directory.isCurrent(known, at: now) { return known }
            let found = directory.cachedKeys(at: location)
            keys.withLock { $0 = found }
            return found
        }
    }

    /// A cached token whose signature was verified.
    private struct Verified: Sendable {
        let facts: TokenFacts
        /// The time of the check; while a clock that was set back is before it, the token is checked again.
        let from: Timestamp
        let until: Timestamp
        /// The index of its issuer.
        let issuer: Int
    }

    /// The cache key of a token, and the end of its cache entry.
    private struct Memory {
        let digest: TokenDigest
        let until: Timestamp

        init?(_ digest: TokenDigest?, _ until: Timestamp?) {
            guard let digest, let until else { return nil }
            (self.digest, self.until) = (digest, until)
        }
    }

    /// The result of judging a token without waiting.
    enum Verdict: Sendable {
        /// The token is valid, and no issuer has to be asked.
        case valid(TokenFacts)
        /// The signature is valid; the issuer has to be asked as well.
        case confirmable(TokenFacts, Introspector)
        /// These issuers have to be asked, one after the other.
        case unknown([Issuer])
        /// Keys have to be fetched.
        case unverified(KeyTrial, JWTClaims, Issuer)

        /// The configured issuer of the token; nil if several come into question.
        var issuerName: String? {
            switch self {
            case .valid(let facts), .confirmable(let facts, _): facts.issuer
            case .unknown(let issuers): issuers.count == 1 ? issuers[0].trust.issuer : nil
            case .unverified(_, _, let issuer): issuer.trust.issuer
            }
        }
    }

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - issuers: The issuers whose tokens are accepted; several entries of one issuer differ by their clients.
    ///   - transport: Introspects.
    ///   - directory: The provider documents.
    ///   - cachedTokens: The number of verified tokens to cache.
    ///   - time: The wall clock.
    init(
        _ issuers: [TrustedIssuer], transport: any HTTPTransport, directory: ProviderDirectory, cachedTokens: Int,
        time: any TimeSource
    ) {
        self.issuers = issuers.enumerated().map { index, trust in
            Issuer(
                index: index, trust: trust, location: trust.location,
                introspector: trust.mode.introspection.map {
                    Introspector(
                        trust, $0, transport: transport, directory: directory, time: time, capacity: cachedTokens)
                })
        }
        var byName: [String: [Issuer]] = [:]
        for issuer in self.issuers {
            for name in issuer.trust.alsoAccepts.union([issuer.trust.issuer]) {
                byName[name, default: []].append(issuer)
            }
        }
        self.byName = byName
        self.directory = directory
        self.time = time
        verified = TokenCache(capacity: cachedTokens)
    }

    /// The cache key of a token; nil if the cache is off, which saves computing the digest.
    func digest(of token: UnsafeBufferPointer<UInt8>) -> TokenDigest? {
        verified.isInUse ? TokenDigest(UnsafeRawBufferPointer(token)) : nil
    }

    /// The facts of a token with a verdict, after fetching keys or asking the issuer where the verdict needs it.
    func facts(
        of token: BearerToken, _ verdict: Verdict, _ requirement: Requirement, isReserved: Bool,
        _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> TokenFacts {
        var verdict = verdict
        if case .unverified(let trial, let claims, let issuer) = verdict {
            let until = try await verify(trial, issuer, isReserved, deadline)
            let memory = Memory(verified.isInUse ? token.digest : nil, until)
            verdict = try accepted(memory, trial.jws, claims: claims, by: issuer, for: requirement)
        }
        switch verdict {
        case .valid(let facts): return facts
        case .confirmable(let facts, let introspector): return try await confirm(token, facts, introspector, deadline)
        case .unknown(let issuers): return try await ask(issuers, about: token, requirement, deadline)
        case .unverified: throw .invalid(check: "signature")
        }
    }

    /// Asks the issuer in mode `both`, past every cache, for a requirement that asks for strength or has a step-up.
    private func confirm(
        _ token: BearerToken, _ facts: TokenFacts, _ introspector: Introspector, _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> TokenFacts {
        switch try await introspector.answer(about: token, isVerified: true, fresh: true, deadline: deadline) {
        case .inactive(let check): throw .invalid(check: check)
        // Some issuers do not answer about signed tokens at all; then the signature alone counts.
        case .declined: return facts
        case .active(let answer):
            guard let confirmed = facts.confirmed(by: answer) else {
                throw .misconfigured(what: "the issuer answers about another token than the one it was asked about")
            }
            return confirmed
        }
    }

    /// Asks the issuers one after the other until one knows the token.
    ///
    /// If none does, an issuer that could not be asked may have known it, and its error is thrown.
    private func ask(
        _ issuers: [Issuer], about token: BearerToken, _ requirement: Requirement,
        _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> TokenFacts {
        var refusal = TokenCheckError.invalid(check: "active")
        var trouble: TokenCheckError?
        for issuer in issuers {
            guard let introspector = issuer.introspector else { continue }
            do throws(TokenCheckError) {
                let answer = try await introspector.answer(
                    about: token, isVerified: false, fresh: requirement.asksForFreshEvidence, deadline: deadline)
                if let facts = Self.facts(answer, &refusal) { return facts }
            } catch {
                trouble = trouble ?? error
            }
        }
        throw trouble ?? refusal
    }

    /// The facts in one issuer's answer; if it has none, `refusal` becomes the reason to refuse the token if no other
    /// issuer knows it.
    private static func facts(_ answer: Introspector.Answer, _ refusal: inout TokenCheckError) -> TokenFacts? {
        switch answer {
        case .active(let facts): return facts
        case .inactive(let check): if !check.isSameText(as: "active") { refusal = .invalid(check: check) }
        case .declined: refusal = .invalid(check: "introspection", advice: "the issuer answers with status 400")
        }
        return nil
    }

    // MARK: Without waiting

    /// The verdict on a cached token; nil if the token is not cached or has expired.
    func known(_ digest: TokenDigest, _ requirement: Requirement) -> Verdict? {
        let now = time.now()
        guard let known = verified[digest],
            // rule: a remembered check has its time
            now < known.until,
            // rule: a remembered check is not of the future
            known.from <= now
        else { return nil }
        let issuer = issuers[known.issuer]
        // An expired token is judged anew, and refused.
        // rule: a remembered token has not expired
        guard let expires = known.facts.expires, now < expires + issuer.trust.leeway else { return nil }
        return verdict(known.facts, issuer, requirement)
    }

    /// The facts of a token from cached introspection answers.
    ///
    /// - Returns: The facts; nil if an issuer has to be asked.
    /// - Throws: `.invalid`.
    func kept(
        _ verdict: Verdict, of token: BearerToken, _ requirement: Requirement
    ) throws(TokenCheckError) -> TokenFacts? {
        // rule: fresh evidence comes from no cache
        guard case .unknown(let issuers) = verdict, !requirement.asksForFreshEvidence else { return nil }
        let digest = token.digest
        var refusal = TokenCheckError.invalid(check: "active")
        for introspector in issuers.compactMap(\.introspector) {
            guard let answer = introspector.known(digest) else { return nil }
            if let facts = Self.facts(answer, &refusal) { return facts }
        }
        throw refusal
    }

    /// The verdict on a token that is not cached.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - digest: The cache key of the token; nil if it is not to be cached.
    ///   - requirement: The requirement of the route.
    ///   - said: Becomes the configured issuer that the token claims, also if the token is refused.
    /// - Returns: The verdict that needs no waiting.
    /// - Throws: `.invalid`.
    func verdict(
        of token: BearerToken, _ digest: TokenDigest?, _ requirement: Requirement, issuer said: inout String?
    ) throws(TokenCheckError) -> Verdict {
        guard let (jws, claims) = try parse(token) else { return try opaque(token) }
        guard let name = claims.issuer, let entries = byName[name] else { throw .invalid(check: "iss") }
        let meant = Self.meant(by: claims, entries)
        guard let issuer = meant.first else { throw .invalid(check: "iss") }
        said = issuer.trust.issuer
        if case .introspection = issuer.trust.mode {
            // The claims are unverified, but no caller gains anything by marking a token as another kind.
            // rule: a JWT of another kind is not asked about
            if let claim = claims.otherKind { throw .invalid(check: claim) }
            return .unknown(meant)
        }
        // rule: a signature has an allowed algorithm
        guard let algorithm = jws.header.algorithm, issuer.trust.algorithms.contains(algorithm) else {
            throw .invalid(check: "alg")
        }
        var trial = KeyTrial(jws, algorithms: issuer.trust.algorithms)
        guard let copy = issuer.cachedKeys(in: directory, at: time.now()), try trial.isSigned(with: copy.keys) else {
            return .unverified(trial, claims, issuer)
        }
        return try accepted(Memory(digest, copy.until), jws, claims: claims, by: issuer, for: requirement)
    }

    /// The entries of one issuer that a token may be meant for; all of them if it is meant for none.
    ///
    /// The claims are unverified here; a forged client fails the same check again after verification.
    private static func meant(by claims: JWTClaims, _ entries: [Issuer]) -> [Issuer] {
        guard entries.count > 1 else { return entries }
        let meant = entries.filter { $0.trust.isMeantForUs(claims) }
        // Several entries may have the token's audience; the entry that lists its client decides how it is checked.
        let listing = meant.filter { $0.trust.listsClient(of: claims) }
        if !listing.isEmpty { return listing }
        return meant.isEmpty ? entries : meant
    }

    /// Checks and caches the claims of a token whose signature is valid.
    ///
    /// The cache entry ends with the freshness of the keys that verified the token, so that a withdrawn key does not
    /// live on in it.
    private func accepted(
        _ memory: Memory?, _ jws: JWS, claims: JWTClaims, by issuer: Issuer, for requirement: Requirement
    ) throws(TokenCheckError) -> Verdict {
        let now = time.now()
        let facts = try JWTChecks(issuer, now: now).check(jws.header, claims)
        if let memory {
            let checked = Verified(facts: facts, from: now, until: memory.until, issuer: issuer.index)
            verified.insert(checked, for: memory.digest)
        }
        return verdict(facts, issuer, requirement)
    }

    private func verdict(_ facts: TokenFacts, _ issuer: Issuer, _ requirement: Requirement) -> Verdict {
        // rule: the issuer is asked where that is demanded
        guard case .both = issuer.trust.mode, requirement.asksForFreshEvidence, let introspector = issuer.introspector
        else { return .valid(facts) }
        return .confirmable(facts, introspector)
    }

    /// The verdict on a token that is no JWT.
    ///
    /// The issuers whose `tokenPrefix` it begins with have to be asked, or else the issuers without a `tokenPrefix`.
    private func opaque(_ token: BearerToken) throws(TokenCheckError) -> Verdict {
        let asked = issuers.filter { $0.introspector != nil }
        let fitting = asked.filter { issuer in
            issuer.trust.tokenPrefix.map { token.bytes.starts(with: Array($0.utf8)) } ?? false
        }
        let chosen = fitting.isEmpty ? asked.filter { $0.trust.tokenPrefix == nil } : fitting
        // rule: an opaque token has an issuer to ask
        guard !chosen.isEmpty else { throw .invalid(check: "form") }
        return .unknown(chosen)
    }

    /// - Returns: The token's parts; nil if the token does not look like a JWT.
    private func parse(_ token: BearerToken) throws(TokenCheckError) -> (JWS, JWTClaims)? {
        guard token.hasThreeParts else { return nil }
        do {
            let jws = try JWS.parse(token.bytes)
            return (jws, try JWTClaims.parse(jws.payload))
        } catch {
            throw .invalid(check: "form")
        }
    }

    // MARK: After fetching keys

    /// - Returns: The time until which the keys that verified the token are fresh; nil if that is not known.
    private func verify(
        _ trial: KeyTrial, _ issuer: Issuer, _ isReserved: Bool, _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> Timestamp? {
        var trial = trial
        let header = trial.jws.header
        guard let algorithm = header.algorithm else { throw .invalid(check: "alg") }
        let metadata: IssuerMetadata
        var keys: JWKSet
        do throws(DocumentError) {
            metadata = try await directory.issuer(issuer.location, deadline: deadline)
            keys = try await directory.keys(of: metadata, deadline: deadline)
        } catch {
            throw TokenCheckError(error)
        }
        if try trial.isSigned(with: keys) { return freshness(of: keys, issuer) }
        do throws(DocumentError) {
            keys = try await directory.keys(
                of: metadata, afterUnknown: header.keyID, algorithm, isReserved: isReserved, deadline: deadline)
        } catch {
            throw TokenCheckError(error)
        }
        guard try trial.isSigned(with: keys) else { throw .invalid(check: "signature") }
        return freshness(of: keys, issuer)
    }

    private func freshness(of keys: JWKSet, _ issuer: Issuer) -> Timestamp? {
        directory.cachedKeys(at: issuer.location).flatMap { $0.keys == keys ? $0.until : nil }
    }
}
