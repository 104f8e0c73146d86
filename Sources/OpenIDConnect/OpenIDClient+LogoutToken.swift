package import Basics
internal import Discovery
internal import JOSE

/// What a verified logout token says (OpenID Connect Back-Channel Logout 1.0).
package struct LogoutNotice: Sendable, Equatable {
    /// The provider that ended the session.
    package let issuer: String
    /// The user; nil where the token names a provider session alone.
    package let subject: String?
    /// The provider session, `sid`; nil where all sessions of the user ended.
    package let sessionID: String?
    /// The id of the token, `jti`, which counts once.
    package let tokenID: String
    /// The time of the logout, `iat`.
    package let issuedAt: Timestamp
    /// The time from which the token is refused in any case, so that its id need not be remembered any more.
    package let staleAt: Timestamp

    /// Makes a notice, for tests and other products.
    package init(
        issuer: String, subject: String?, sessionID: String?, tokenID: String, issuedAt: Timestamp, staleAt: Timestamp
    ) {
        self.issuer = issuer
        self.subject = subject
        self.sessionID = sessionID
        self.tokenID = tokenID
        self.issuedAt = issuedAt
        self.staleAt = staleAt
    }
}

/// Why a logout token does not count.
package enum LogoutTokenError: Error, Sendable, Equatable {
    /// The token fails a check; names the check.
    case refused(check: String)
    /// The provider's keys cannot be had now, so the token was not judged.
    case unavailable(retryAfter: Duration)
    /// The calling task was cancelled.
    case cancelled
}

extension OpenIDClient {
    /// Verifies a logout token for this client.
    ///
    /// The algorithm is checked before anything is fetched, and the claims before keys are.
    ///
    /// - Parameters:
    ///   - token: The token, as the provider sent it.
    ///   - deadline: Gives up at this instant.
    /// - Returns: What the token says.
    /// - Throws: `LogoutTokenError`.
    /// - SeeAlso: OpenID Connect Back-Channel Logout 1.0 section 2.6.
    package func verify(
        logoutToken token: Secret<String>, deadline: ContinuousClock.Instant
    ) async throws(LogoutTokenError) -> LogoutNotice {
        let parsed: JWS
        let claims: JWTClaims
        do throws(OpenIDError) {
            parsed = try parse(token)
            claims = try self.claims(of: parsed)
        } catch {
            throw .refused(check: error.failedCheck)
        }
        let metadata: ProviderMetadata
        do throws(OpenIDError) { metadata = try await self.metadata(deadline: deadline) } catch {
            throw LogoutTokenError(notAsked: error)
        }
        let checks = LogoutTokenChecks(
            issuer: metadata.issuer, clientID: settings.clientID, now: time.now(), leeway: settings.leeway)
        let notice: LogoutNotice
        do throws(OpenIDError) { notice = try checks.check(claims, parsed.header) } catch {
            throw .refused(check: error.failedCheck)
        }
        do throws(SignatureError) {
            // rule: a logout token is signed by its issuer
            try await verify(idToken: parsed, from: .anyone, metadata, deadline: deadline)
        } catch {
            throw LogoutTokenError(error)
        }
        return notice
    }
}

extension LogoutTokenError {
    /// The provider could not be asked for its metadata or keys.
    fileprivate init(notAsked error: OpenIDError) {
        switch error {
        case .cancelled: self = .cancelled
        case .busy(let wait): self = .unavailable(retryAfter: wait ?? .seconds(5))
        default: self = .unavailable(retryAfter: .seconds(5))
        }
    }

    fileprivate init(_ failure: SignatureError) {
        switch failure {
        // The provider may have new keys that could not be fetched now: it should send the token again.
        case .noKey: self = .unavailable(retryAfter: .seconds(30))
        case .wrong: self = .refused(check: "signature")
        case .provider(let error): self.init(notAsked: error)
        }
    }
}

extension OpenIDError {
    /// The check that a token has failed; an algorithm that the settings do not list is a fault of the registration.
    fileprivate var failedCheck: String {
        if case .invalidIDToken(let check, _) = self { check } else { "alg" }
    }
}
