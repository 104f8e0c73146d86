import Basics
import Sessions

/// The goal that a flow was started for, with the user whom it has to end with.
struct StepUpGoal: Sendable, Equatable {
    /// The purpose that the flow's pages show: the name of a requirement, or `Requirements.signedIn`.
    var purpose: String
    /// The requirement that the token has to meet; nil when the upstream API decides at the retry, or when any token
    /// that the provider gives is enough.
    var requirement: String?
    /// The user before the step-up.
    var issuer: String
    var subject: String
    /// The route whose API asked; nil when no API asked.
    var route: String?
    /// The transaction that the flow authorises; nil for none.
    var transaction: HeldTransaction?

    /// The user before the step-up.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }

    /// The members of the goal's audit lines; the transaction appears as a digest of its id alone.
    var auditMembers: [String: String] {
        var members: [String: String] = [:]
        members["requirement"] = requirement
        members["transaction"] = transaction.map { FlowDigest(of: $0.id).text }
        return members
    }
}

extension StepUpGoal {
    func write(into writer: inout RecordWriter) {
        writer.write(purpose)
        writer.write(requirement)
        writer.write(issuer)
        writer.write(subject)
        writer.write(route)
        writer.write(transaction) { writer, transaction in transaction.write(into: &writer) }
    }

    init(_ reader: inout RecordReader) throws(RecordError) {
        purpose = try reader.string()
        requirement = try reader.optionalString()
        issuer = try reader.string()
        subject = try reader.string()
        route = try reader.optionalString()
        transaction = try reader.optional { reader throws(RecordError) in try HeldTransaction(&reader) }
    }
}

extension StepUpGoal {
    /// The result, for its route, of a transaction's flow that brought no token; nil for any other flow.
    func answeredTransaction(account: String, at now: Timestamp) -> RaisedRoute? {
        transaction == nil ? nil : raisedRoute(account: account, client: nil, at: now)
    }

    /// The result of the flow for the route whose API asked for it; nil for a flow that no API asked for.
    ///
    /// - Parameters:
    ///   - account: The account of the flow.
    ///   - client: The client that has a new token for the route; nil when there is none.
    ///   - now: The time at which the flow ended.
    /// - Returns: The route's record for the calls from now on.
    func raisedRoute(account: String, client: String?, at now: Timestamp) -> RaisedRoute? {
        guard let route else { return nil }
        let authorized = transaction.map {
            AuthorizedTransaction(
                id: $0.id, target: $0.target, issuer: issuer, subject: subject,
                until: now + AuthorizedTransaction.lifetime)
        }
        return RaisedRoute(route: route, account: account, client: client, transaction: authorized)
    }
}

extension FlowRecord {
    /// True if the flow is a step-up and another user than the one who began it is signed in now.
    ///
    /// False where no user is signed in: the step-up then replaces a provider session that ended by itself.
    func isForFormerUser(in session: OpenedSession, _ call: InstanceCall) -> Bool {
        guard let goal, let user = session.meta?.user(of: call.sessionField) else { return false }
        return !goal.issuer.isSameText(as: user.issuer) || !goal.subject.isSameText(as: user.subject)
    }
}
