public import Basics
public import Discovery
public import HTTPCore
public import Logs

/// Decides on requests to an API by their access tokens; knows no HTTP server and answers nothing itself.
///
/// ```swift
/// let decision = await guard.decide(authorization: request.headers["authorization"], highValue)
/// ```
public final class AccessGuard: Sendable {
    private let verifier: TokenVerifier
    private let time: any TimeSource
    private let log: RefusalLog
    private let peers: ProvenPeers

    /// Guards an API.
    ///
    /// - Parameters:
    ///   - issuers: Whose tokens are taken; entries of one issuer differ by their clients.
    ///   - transport: Fetches keys and introspects.
    ///   - directory: The provider documents; shared with whoever else reads them.
    ///   - cachedTokens: How many verified tokens are remembered; zero verifies each request's token anew.
    ///   - time: The wall clock.
    ///   - logger: For refusals, by check, and for alarms.
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
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    ///   - peer: Who brings the token, by whatever name tells callers apart: whose tokens have been good before is believed
    ///     sooner that the issuer has a new key.
    ///   - deadline: Gives up at this instant.
    /// - Returns: Never an error: a token that cannot be judged now is `.unavailable`.
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

    /// Decides on one request when nothing has to be waited for: a token that was seen before, one whose issuer's keys are
    /// at hand, or one of which its issuer has said lately what it is.
    ///
    /// - Parameters:
    ///   - authorization: Every value of the `Authorization` field, in order.
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    ///   - peer: Who brings the token, see `decide`.
    /// - Returns: What `decide` would return; nil when it would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        authorization: [String], otherTransports: Bool = false, _ requirement: Requirement, peer: String? = nil
    ) -> AccessDecision? {
        guard case .decided(let decision) = inspect(authorization, otherTransports, requirement, peer) else {
            return nil
        }
        return decision
    }

    /// Decides on a request that has one `Authorization` field, which is only lent, see `decideAtOnce` for texts.
    ///
    /// - Parameters:
    ///   - field: The value of the field.
    ///   - otherTransports: Whether the query or a form body carries `access_token` as well.
    ///   - requirement: What the route demands.
    ///   - peer: Who brings the token, see `decide`.
    /// - Returns: What `decide` would return; nil when it would have to fetch keys or ask the issuer first.
    public func decideAtOnce(
        field: UnsafeBufferPointer<UInt8>, otherTransports: Bool = false, _ requirement: Requirement,
        peer: String? = nil
    ) -> AccessDecision? {
        guard case .decided(let decision) = inspect(field, otherTransports, requirement, peer) else { return nil }
        return decision
    }

    /// What is known of a request without asking anybody.
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
            // Before its form is looked at: what is known was of the form.
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

    /// Scope and strength of a valid token.
    private func judge(_ facts: TokenFacts, _ requirement: Requirement) -> AccessDecision {
        // Nobody signed in, whatever the token says of scope, class or time.
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

/// What becomes of a request to an API.
public enum AccessDecision: Sendable, Equatable {
    /// The token meets the requirement.
    case allow(TokenFacts)
    /// It does not; the challenge says why.
    case challenge(Challenge)
    /// It cannot be judged now: 503 with `Retry-After`, never "signed out".
    case unavailable(retryAfter: Duration)

    /// How long to wait where nobody knows better.
    static let usualWait = Duration.seconds(5)
}
