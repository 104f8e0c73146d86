internal import Basics
internal import Discovery
internal import HTTPCore

/// What can be known of a registration without a user: whether the provider takes the client, its secret, its redirect URI
/// and its scopes. Nothing is made or ended by trying.
extension OpenIDClient {
    /// A code, token or verifier that nobody was ever given.
    static let madeUp = String(repeating: "cloakroom-check-", count: 3)

    /// Shows the client's credentials at the token endpoint, with a code that nobody gave out.
    ///
    /// - Parameter deadline: Gives up at this instant.
    /// - Throws: Nothing when the provider knows the client: it refuses the code then, and nothing else. `.invalidClient`
    ///   when it does not; `.rejected` with its code when it refuses something else, the redirect URI for one; otherwise
    ///   why it could not be asked.
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

    /// Asks for a code as for a user, without anybody who is signed in.
    ///
    /// - Parameters:
    ///   - deadline: Gives up at this instant.
    ///   - answer: Sends the authorization and says what came to the redirect URI; `.loginRequired` for a login page,
    ///     `.consentRequired` for another page for people, `.rejected` for a refusal.
    /// - Throws: Nothing when the provider would have the user sign in: client, redirect URI and scopes are right then.
    ///   `.rejected` with its code when one of them is not; otherwise why it could not be asked.
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
            // A page for people: where nobody is signed in, that is the login page itself.
            return
        } catch .rejected(_, status: 401) {
            return
        }
        throw .invalidResponse(check: "code")
    }
}
