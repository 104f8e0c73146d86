import Basics
import OpenIDConnect
import ResourceServer

/// What a flow was started for, and whom it has to end with.
struct StepUpGoal: Sendable, Equatable {
    /// The requirement that the token has to meet; nil when a foreign API decides on the retry.
    var requirement: String?
    /// The user before the step-up.
    var issuer: String
    var subject: String
    /// The route whose API asked; nil for a requirement of our own.
    var route: String?
    /// The transaction that the flow authorises.
    var transaction: HeldTransaction?
}

extension StepUpGoal {
    func write(into writer: inout RecordWriter) {
        writer.write(requirement)
        writer.write(issuer)
        writer.write(subject)
        writer.write(route)
        writer.write(transaction) { writer, transaction in transaction.write(into: &writer) }
    }

    init(_ reader: inout RecordReader) throws(RecordReader.Malformed) {
        requirement = try reader.optional { reader throws(RecordReader.Malformed) in try reader.string() }
        issuer = try reader.string()
        subject = try reader.string()
        route = try reader.optional { reader throws(RecordReader.Malformed) in try reader.string() }
        transaction = try reader.optional { reader throws(RecordReader.Malformed) in try HeldTransaction(&reader) }
    }
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
