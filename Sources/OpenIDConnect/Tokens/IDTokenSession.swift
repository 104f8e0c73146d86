package import Basics
internal import JOSE

/// Whose session an ID token is about, which was verified when it came and is kept here since: nothing is verified again.
package struct IDTokenSession: Sendable {
    /// Who issued the token.
    package let issuer: String
    /// The user at the issuer.
    package let subject: String
    /// The provider's name of the session, `sid`; nil where the token has none.
    package let sessionID: String?

    /// Nil for a text that is no ID token.
    package init?(_ idToken: Secret<String>) {
        guard let token = try? JWS.parse(idToken.reveal()), let claims = try? JWTClaims.parse(token.payload),
            let issuer = claims.issuer, let subject = claims.subject
        else { return nil }
        (self.issuer, self.subject) = (issuer, subject)
        sessionID = claims.string("sid").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether another one is about the same user.
    package func isSameUser(as other: IDTokenSession) -> Bool {
        issuer.isSameText(as: other.issuer) && subject.isSameText(as: other.subject)
    }
}
