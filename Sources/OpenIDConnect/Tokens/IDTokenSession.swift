package import Basics
internal import JOSE

/// The session that an ID token is about.
///
/// The token was verified when it came and has been stored here since, so it is not verified again.
package struct IDTokenSession: Sendable {
    /// The issuer of the token.
    package let issuer: String
    /// The user's `sub` at the issuer.
    package let subject: String
    /// The provider's session id, `sid`; nil where the token has none.
    package let sessionID: String?

    /// Reads an ID token; nil for a text that is not an ID token.
    package init?(_ idToken: Secret<String>) {
        guard let token = try? JWS.parse(idToken.reveal()), let claims = try? JWTClaims.parse(token.payload),
            let issuer = claims.issuer, let subject = claims.subject
        else { return nil }
        (self.issuer, self.subject) = (issuer, subject)
        sessionID = claims.string("sid").flatMap { $0.isEmpty ? nil : $0 }
    }

    /// True if `other` is about the same user.
    package func isSameUser(as other: IDTokenSession) -> Bool {
        issuer.isSameText(as: other.issuer) && subject.isSameText(as: other.subject)
    }
}
