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
    private let logger: Logger

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
        cachedTokens: Int = 10_000, time: any TimeSource = SystemTime(), logger: Logger = .silent
    ) throws(ResourceServerSettingsError) {
        guard Set(issuers.map(\.issuer)).count == issuers.count else { throw .issuerTwice }
        verifier = TokenVerifier(
            issuers, transport: transport, directory: directory, cachedTokens: cachedTokens, time: time)
        self.time = time
        self.logger = logger
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
                return judge(try await verifier.facts(of: token, standing, requirement, deadline), requirement)
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
        case undecided(BearerToken, TokenVerifier.Standing)
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
        let digest: TokenDigest?
        let token: BearerToken
        do throws(BearerTokenError) {
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
        do throws(TokenRefusal) {
            let standing = try verifier.standing(of: token, digest, requirement)
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
