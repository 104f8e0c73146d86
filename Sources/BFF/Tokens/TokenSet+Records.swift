import Basics
import OpenIDConnect
import ResourceServer
import Sessions

extension OpenedSession {
    /// The tokens in a field; nil when they were not read.
    func tokens(_ field: String) -> TokenSet? { decoded(field) }
}

extension TokenSet {
    /// The facts that requirements are checked against: one for each `acr`, and each has to meet a requirement.
    var facts: [TokenFacts] {
        let classes: [String?] = acrs.isEmpty ? [nil] : acrs
        return classes.map { acr in
            TokenFacts(
                issuer: issuer, subject: subject, clientID: clientID, scopes: Set(scopes), acr: acr, amr: amr,
                authLevel: authLevel, authTime: authTime, expires: expiresAt ?? Timestamp(milliseconds: .max))
        }
    }
}
