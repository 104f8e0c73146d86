internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE

/// Finds out what a bearer token stands for: from what is remembered, from its signature, or from its issuer.
struct TokenVerifier: Sendable {
    private let issuers: [Issuer]
    /// The entries of each issuer, by each of its spellings, in the order of the configuration.
    private let byName: [String: [Issuer]]
    private let directory: ProviderDirectory
    private let time: any TimeSource
    private let verified: TokenCache<Verified>

    /// An entry of the configuration, with what is asked of it on every request worked out once.
    final class Issuer: Sendable {
        let index: Int
        let trust: TrustedIssuer
        let location: ProviderLocation
        /// Who asks it; nil when nobody does.
        let introspector: Introspector?

        init(index: Int, trust: TrustedIssuer, location: ProviderLocation, introspector: Introspector?) {
            self.index = index
            self.trust = trust
            self.location = location
            self.introspector = introspector
        }
    }

    /// A token whose signature was verified.
    private struct Verified: Sendable {
        let facts: TokenFacts
        let until: Timestamp
        /// Which issuer it is of.
        let issuer: Int
    }

    /// What a token is remembered under, and how long.
    private struct Memory {
        let digest: TokenDigest
        let until: Timestamp

        init?(_ digest: TokenDigest?, _ until: Timestamp?) {
            guard let digest, let until else { return nil }
            (self.digest, self.until) = (digest, until)
        }
    }

    /// What can be said of a token without waiting.
    enum Verdict: Sendable {
        /// Valid, and nobody has to be asked.
        case valid(TokenFacts)
        /// Valid by its signature; the issuer has to be asked as well.
        case confirmable(TokenFacts, Introspector)
        /// These have to be asked, one after the other.
        case unknown([Issuer])
        /// Keys have to be fetched.
        case unverified(KeyTrial, JWTClaims, Issuer)

        /// The configured issuer that it is of; nil while several may be.
        var issuerName: String? {
            switch self {
            case .valid(let facts), .confirmable(let facts, _): facts.issuer
            case .unknown(let issuers): issuers.count == 1 ? issuers[0].trust.issuer : nil
            case .unverified(_, _, let issuer): issuer.trust.issuer
            }
        }
    }

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

    /// What a token is remembered under; nil when nothing is remembered, and nobody has to make a digest.
    func digest(of token: UnsafeBufferPointer<UInt8>) -> TokenDigest? {
        verified.isInUse ? TokenDigest(UnsafeRawBufferPointer(token)) : nil
    }

    /// The facts of a token whose standing is known, once whoever has to be asked was asked.
    func facts(
        of token: BearerToken, _ verdict: Verdict, _ requirement: Requirement, isReserved: Bool,
        _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> TokenFacts {
        var verdict = verdict
        if case .unverified(let trial, let claims, let issuer) = verdict {
            let until = try await verify(trial, issuer, isReserved, deadline)
            let memory = Memory(verified.isInUse ? token.digest : nil, until)
            verdict = try accepted(memory, trial.jws, claims, issuer, requirement)
        }
        switch verdict {
        case .valid(let facts): return facts
        case .confirmable(let facts, let introspector): return try await confirm(token, facts, introspector, deadline)
        case .unknown(let issuers): return try await ask(issuers, about: token, requirement, deadline)
        case .unverified: throw .invalid(check: "signature")
        }
    }

    /// In mode `both` a requirement that asks for strength, or for what a step-up brings, also asks the issuer, past every
    /// cache.
    private func confirm(
        _ token: BearerToken, _ facts: TokenFacts, _ introspector: Introspector, _ deadline: ContinuousClock.Instant
    ) async throws(TokenCheckError) -> TokenFacts {
        switch try await introspector.answer(about: token, isVerified: true, fresh: true, deadline: deadline) {
        case .inactive(let check): throw .invalid(check: check)
        // Some do not answer about signed tokens at all; then the signature is all there is.
        case .declined: return facts
        case .active(let answer):
            guard let confirmed = facts.confirmed(by: answer) else {
                throw .misconfigured(what: "the issuer answers about another token than the one it was asked about")
            }
            return confirmed
        }
    }

    /// Asks one after the other until one knows the token; if none does, one that could not be asked may have known it.
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

    /// What one issuer's answer says of a token; of one that it does not know, why it is refused if no other knows it.
    private static func facts(_ answer: Introspector.Answer, _ refusal: inout TokenCheckError) -> TokenFacts? {
        switch answer {
        case .active(let facts): return facts
        case .inactive(let check): if !check.isSameText(as: "active") { refusal = .invalid(check: check) }
        case .declined: refusal = .invalid(check: "introspection", advice: "the issuer answers with status 400")
        }
        return nil
    }

    // MARK: Without waiting

    /// The standing of a token that was verified before; nil when it was not, or is too old to say.
    func known(_ digest: TokenDigest, _ requirement: Requirement) -> Verdict? {
        let now = time.now()
        // rule: a remembered check has its time
        guard let known = verified[digest], now < known.until else { return nil }
        let issuer = issuers[known.issuer]
        // After its end it is judged anew, and refused.
        // rule: a remembered token has not expired
        guard let expires = known.facts.expires, now < expires + issuer.trust.leeway else { return nil }
        return verdict(known.facts, issuer, requirement)
    }

    /// The facts of a token that only issuers know, from what they have said of it lately.
    ///
    /// - Returns: nil when one has to be asked.
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

    /// The standing of a token that is not remembered.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - digest: What it is to be remembered under.
    ///   - requirement: What the route demands.
    ///   - said: Becomes the configured issuer that it claims to be of, also when it is refused.
    /// - Returns: What can be said of it without waiting.
    /// - Throws: `.invalid`.
    func verdict(
        of token: BearerToken, _ digest: TokenDigest?, _ requirement: Requirement, issuer said: inout String?
    ) throws(TokenCheckError) -> Verdict {
        guard let (jws, claims) = try parse(token) else { return try opaque(token) }
        guard let name = claims.issuer, let entries = byName[name] else { throw .invalid(check: "iss") }
        // Unverified yet: whoever lies about the client meets the same check again afterwards.
        var meant = entries.filter { $0.trust.isMeantForUs(claims) }
        // Several may have its audience; the one that lists its client says how it is checked.
        let listing = meant.filter { $0.trust.listsClient(of: claims) }
        if !listing.isEmpty { meant = listing }
        guard let issuer = meant.first ?? entries.first else { throw .invalid(check: "iss") }
        said = issuer.trust.issuer
        if case .introspection = issuer.trust.mode {
            // Unverified, but nobody presents a token of another kind to be let in.
            // rule: a JWT of another kind is not asked about
            if let claim = claims.otherKind { throw .invalid(check: claim) }
            return .unknown(meant.isEmpty ? entries : meant)
        }
        // rule: a signature has an allowed algorithm
        guard let algorithm = jws.header.algorithm, issuer.trust.algorithms.contains(algorithm) else {
            throw .invalid(check: "alg")
        }
        var trial = KeyTrial(jws, algorithms: issuer.trust.algorithms)
        guard let copy = directory.cachedKeys(at: issuer.location), try trial.isSigned(with: copy.keys) else {
            return .unverified(trial, claims, issuer)
        }
        return try accepted(Memory(digest, copy.until), jws, claims, issuer, requirement)
    }

    /// The claims of a token whose signature is good; it is remembered no longer than the keys that it was verified with: one that its issuer withdraws must not live on in a cache.
    private func accepted(
        _ memory: Memory?, _ jws: JWS, _ claims: JWTClaims, _ issuer: Issuer, _ requirement: Requirement
    ) throws(TokenCheckError) -> Verdict {
        let facts = try JWTChecks(issuer: issuer.trust, now: time.now()).check(jws.header, claims)
        if let memory {
            verified.insert(Verified(facts: facts, until: memory.until, issuer: issuer.index), for: memory.digest)
        }
        return verdict(facts, issuer, requirement)
    }

    private func verdict(_ facts: TokenFacts, _ issuer: Issuer, _ requirement: Requirement) -> Verdict {
        // rule: the issuer is asked where that is demanded
        guard case .both = issuer.trust.mode, requirement.asksForFreshEvidence, let introspector = issuer.introspector
        else { return .valid(facts) }
        return .confirmable(facts, introspector)
    }

    /// A token that is no JWT: those issuers whose tokens begin so, else those whose tokens may begin in any way.
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

    /// - Returns: nil for a token that does not look like a JWT.
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

    /// - Returns: Until when the keys that the token was verified with need no renewal; nil when that is not known.
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
