import Basics
import OpenIDConnect
import ResourceServer

extension OpenedSession {
    /// Tokens, when they were read.
    func tokens(_ field: String) -> TokenSet? { decoded(field) }
}

extension TokenSet {
    /// The facts that requirements are judged by: once for each class, and each has to do.
    var facts: [TokenFacts] {
        let classes: [String?] = acrs.isEmpty ? [nil] : acrs
        return classes.map { acr in
            TokenFacts(
                issuer: issuer, subject: subject, clientID: clientID, scopes: Set(scopes), acr: acr, amr: amr,
                authLevel: authLevel, authTime: authTime, expires: expiresAt ?? Timestamp(milliseconds: .max))
        }
    }
}
