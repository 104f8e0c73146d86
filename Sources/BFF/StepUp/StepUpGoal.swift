import Basics

/// What a flow was started for, and whom it has to end with.
struct StepUpGoal: Sendable, Equatable {
    /// What its pages say that it is for: the name of a requirement, or `Requirements.signedIn`.
    var purpose: String
    /// The requirement that the token has to meet; nil when a foreign API decides on the retry, or the provider by giving
    /// a token at all.
    var requirement: String?
    /// The user before the step-up.
    var issuer: String
    var subject: String
    /// The route whose API asked; nil for a requirement of our own.
    var route: String?
    /// The transaction that the flow authorises.
    var transaction: HeldTransaction?

    /// The user before the step-up.
    var person: AuditFacts.Person { AuditFacts.Person(issuer: issuer, subject: subject) }

    /// What the audit says of it; the transaction by a digest of its id alone.
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
    /// What the end of a transaction's flow means that brought no token; nil for any other flow.
    func answeredTransaction(account: String, at now: Timestamp) -> RaisedRoute? {
        transaction == nil ? nil : raisedRoute(account: account, client: nil, at: now)
    }

    /// What the end of the flow means for the route whose API asked for it; nil for any other flow.
    ///
    /// - Parameters:
    ///   - account: The account of the flow.
    ///   - client: The client that has a token for the route now; nil when there is no new one.
    ///   - now: When the flow ended.
    /// - Returns: The route as it is called from now on.
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
    /// True if the flow is a step-up and another user than the one who began it is signed in by now.
    ///
    /// False where no user is: a provider session that ended by itself is what the step-up brings anew.
    func isForFormerUser(in session: OpenedSession, _ call: InstanceCall) -> Bool {
        guard let goal, let user = session.meta?.user(of: call.sessionField) else { return false }
        return !goal.issuer.isSameText(as: user.issuer) || !goal.subject.isSameText(as: user.subject)
    }
}
