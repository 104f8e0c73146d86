public import Basics
public import Discovery
public import HTTPCore
public import Logs

/// Decides on requests to an API by their access tokens; knows no HTTP server and sends no response itself.
///
/// ```swift
/// let decision = await guard.decide(authorization: request.headers["authorization"], highValue)
/// ```
public final class AccessGuard: Sendable {
    private let verifier: TokenVerifier
    private let time: any TimeSource
    private let log: RefusalLog
    private let peers: ProvenPeers

    /// Creates the guard of one API.
    ///
    /// - Parameters:
    ///   - issuers: The issuers whose tokens are accepted; several entries of one issuer differ by their clients.
    ///   - transport: Fetches keys and introspects.
    ///   - directory: The provider documents; may be shared with other readers.
    ///   - cachedTokens: The number of verified tokens to cache; zero verifies the token of every request anew.
    ///   - time: The wall clock.
    ///   - logger: Logs refusals, by check, and alarms.
    /// - Throws: `.issuerTwice`.
    public init(
        issuers: [TrustedIssuer], transport: any HTTPTransport, directory: ProviderDirectory,
        cachedTokens: Int = 10_000, time: any TimeSource = SystemTime(), logger: Logger = .silent
    ) throws(ResourceServerSettingsError) {
        // rule: no issuer is listed twice
        guard issuers.areDistinct else { throw .issuerTwice }
        verifier = TokenVerifier(
            issuers, transport: transport, directory: directory, cachedTokens: cachedTokens, time: time)
        self.time = time
        log = RefusalLog(logger, time)
        peers = ProvenPeers(time)
    }

    /// Decides on one request.
    ///
    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field, in order.
    ///   - otherTransports: True if the query or a form body carries `access_token` as well.
    ///   - requirement: The requirement of the route.
    ///   - peer: A name that tells callers apart. For a peer that has recently sent a valid token, an unknown key may
    ///     be fetched even if the allowed fetches are used up.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The decision; a token that cannot be judged now is `.unavailable`, never an error.
    /// - SeeAlso: RFC 6750, RFC 9470; docs/protocol.md, 'Claims', on the order of the checks.
    public func decide(
        authorization: [String], otherTransports: Bool = false, _ requirement: Requirement,
        peer: String? = nil, deadline: ContinuousClock.Instant = .now + .seconds(10)
    ) async -> AccessDecision {
        switch inspect(authorization, otherTransports, requirement, peer) {
        case .decided(let decision):
            return decision
        case .undecided(let token, let verdict):
            do throws(TokenCheckError) {
                let facts = try await verifier.facts(
                    of: token, verdict, requirement, isReserved: peers.contains(peer), deadline)
                peers.insert(peer)
                return judge(facts, requirement)
            } catch {
                return refuse(error, verdict.issuerName)
            }
        }
    }

    /// Decides on one request if the decision needs no waiting.
    ///
    /// No waiting is needed if the token is cached, if its issuer's keys are cached, or if its issuer's last
    /// introspection answer is cached.
    ///
    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field, in order.
    ///   - otherTransports: True if the query or a form body carries `access_token` as well.
    ///   - requirement: The requirement of the route.
    ///   - peer: A name that tells callers apart, see `decide`.
    /// - Returns: The result of `decide`; nil if `decide` would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        authorization: [String], otherTransports: Bool = false, _ requirement: Requirement, peer: String? = nil
    ) -> AccessDecision? {
        guard case .decided(let decision) = inspect(authorization, otherTransports, requirement, peer) else {
            return nil
        }
        return decision
    }

    /// Decides on a request with exactly one `Authorization` field, without copying the field.
    ///
    /// - Parameters:
    ///   - field: The value of the field; it is read only during the call.
    ///   - otherTransports: True if the query or a form body carries `access_token` as well.
    ///   - requirement: The requirement of the route.
    ///   - peer: A name that tells callers apart, see `decide`.
    /// - Returns: The result of `decide`; nil if `decide` would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        field: UnsafeBufferPointer<UInt8>, otherTransports: Bool = false, _ requirement: Requirement,
        peer: String? = nil
    ) -> AccessDecision? {
        guard case .decided(let decision) = inspect(field, otherTransports, requirement, peer) else { return nil }
        return decision
    }

    /// The result of inspecting a request with cached data alone.
    private enum Inspection {
        case decided(AccessDecision)
        case undecided(BearerToken, TokenVerifier.Verdict)
    }

    private func inspect(
        _ authorization: [String], _ otherTransports: Bool, _ requirement: Requirement, _ peer: String?
    ) -> Inspection {
        // rule: a request has one Authorization field
        guard authorization.count <= 1 else { return .decided(.challenge(Challenge(.invalidRequest))) }
        guard var field = authorization.first else {
            return .decided(.challenge(Challenge(otherTransports ? .invalidRequest : .noToken)))
        }
        return field.withUTF8 { inspect($0, otherTransports, requirement, peer) }
    }

    private func inspect(
        _ field: UnsafeBufferPointer<UInt8>, _ otherTransports: Bool, _ requirement: Requirement, _ peer: String?
    ) -> Inspection {
        let digest: TokenDigest?
        let token: BearerToken
        do throws(BearerTokenError) {
            // rule: a token comes in the header field alone
            guard !otherTransports else { throw BearerTokenError() }
            guard let found = try BearerToken.find(in: field) else { return .decided(.challenge(Challenge(.noToken))) }
            digest = verifier.digest(of: found)
            // The cache is read before the form is checked: a cached token has passed the check of its form.
            if let digest, let known = verifier.known(digest, requirement) {
                guard case .valid(let facts) = known else { return .undecided(try BearerToken(found), known) }
                return .decided(judge(facts, requirement))
            }
            token = try BearerToken(found)
        } catch {
            return .decided(.challenge(Challenge(.invalidRequest)))
        }
        var issuer: String?
        do throws(TokenCheckError) {
            let verdict = try verifier.verdict(of: token, digest, requirement, issuer: &issuer)
            let facts: TokenFacts
            if case .valid(let known) = verdict {
                facts = known
            } else if let kept = try verifier.kept(verdict, of: token, requirement) {
                facts = kept
            } else {
                return .undecided(token, verdict)
            }
            peers.insert(peer)
            return .decided(judge(facts, requirement))
        } catch {
            return .decided(refuse(error, issuer))
        }
    }

    /// Judges the scopes and the authentication strength of a valid token.
    private func judge(_ facts: TokenFacts, _ requirement: Requirement) -> AccessDecision {
        // No user signed in, even if the token has scopes, a class or a time.
        // rule: a machine is no user
        guard !facts.isClientCredentials || requirement.admitsMachines else {
            log.refused("machine", nil, facts.issuer)
            return .challenge(Challenge(.insufficientScope))
        }
        let shortfall = requirement.shortfall(of: facts, at: time.now())
        if shortfall.isNone { return .allow(facts) }
        // rule: too weak is said before too few scopes
        if shortfall.isTooWeak {
            return .challenge(Challenge(.insufficientAuthentication, requirement: requirement))
        }
        return .challenge(Challenge(.insufficientScope, requirement: requirement))
    }

    private func refuse(_ refusal: TokenCheckError, _ issuer: String?) -> AccessDecision {
        switch refusal {
        case .invalid(let check, let advice):
            log.refused(check, advice, issuer)
            return .challenge(Challenge(.invalidToken))
        case .unavailable(let what, let wait):
            log.unavailable(what, issuer)
            return .unavailable(retryAfter: wait)
        case .misconfigured(let what, let wait):
            log.misconfigured(what, issuer)
            return .unavailable(retryAfter: wait)
        }
    }
}

/// The decision on a request to an API.
public enum AccessDecision: Sendable, Equatable {
    /// The token meets the requirement.
    case allow(TokenFacts)
    /// The token is missing or does not meet the requirement; the challenge says why.
    case challenge(Challenge)
    /// The token cannot be judged now: respond with 503 and `Retry-After`, never as if the user were signed out.
    case unavailable(retryAfter: Duration)

    /// The time to wait before a retry if no other time is known.
    static let usualWait = Duration.seconds(5)
}
