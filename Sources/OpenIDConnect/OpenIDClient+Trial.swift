internal import Basics
internal import Discovery
internal import HTTPCore

/// Tests if the provider accepts a registration: the client, its secret, its redirect URI and its scopes, without a user.
///
/// A test creates nothing and ends nothing.
extension OpenIDClient {
    /// A made-up code, token or verifier.
    static let madeUp = String(repeating: "cloakroom-check-", count: 3)

    /// Tests the client's credentials at the token endpoint, with a made-up code.
    ///
    /// - Parameter deadline: Gives up at this instant.
    /// - Throws: Nothing when the provider accepts the client and refuses only the code. `.invalidClient` when it does
    ///   not accept the client; `.rejected` with its code when it refuses something else, such as the redirect URI;
    ///   otherwise why the provider could not be asked.
    public func tryCredentials(deadline: ContinuousClock.Instant) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        var form = QueryParameters()
        form.append("grant_type", "authorization_code")
        form.append("code", Self.madeUp)
        form.append("redirect_uri", settings.redirectURI)
        form.append("code_verifier", Self.madeUp)
        do {
            _ = try await requestTokens(metadata.tokenEndpoint, form, deadline: deadline)
        } catch .invalidGrant {
            return
        }
        throw .invalidResponse(check: "code")
    }

    /// Tests an authorization request without a signed-in user.
    ///
    /// - Parameters:
    ///   - deadline: Gives up at this instant.
    ///   - answer: Sends the authorization and returns the parameters that came to the redirect URI; throws
    ///     `.loginRequired` for a login page, `.consentRequired` for another page for a user, `.rejected` for a
    ///     refusal.
    /// - Throws: Nothing when the provider asks the user to sign in: client, redirect URI and scopes are right then.
    ///   `.rejected` with its code when one of them is wrong; otherwise why the provider could not be asked.
    public func tryAuthorization(
        deadline: ContinuousClock.Instant,
        answer: (Authorization) async throws(OpenIDError) -> AuthorizationAnswer
    ) async throws(OpenIDError) {
        let metadata = try await metadata(deadline: deadline)
        let authorization = try Authorization(settings, metadata, AuthorizeOptions(), now: time.now())
        do {
            let answer = try await answer(authorization)
            try answer.check(isFor: authorization)
            _ = try answer.code(from: metadata.issuer, isIssuerAnnounced: metadata.announcesIssuerInRedirect)
        } catch .loginRequired {
            return
        } catch .consentRequired {
            // A page for a user: without a signed-in user it is the login page itself.
            return
        } catch .rejected(_, status: 401) {
            return
        }
        throw .invalidResponse(check: "code")
    }
}
