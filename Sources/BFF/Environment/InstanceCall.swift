import Basics
import OpenIDConnect
import Orchestrate

/// A request to an instance: the instance, its client, and the request itself.
///
/// A class, because many values of a step hold it: a copy of one is a reference then, not a copy of the whole request.
final class InstanceCall: Sendable {
    let instance: InstanceName
    let client: ClientDefinition
    let context: CallContext
    let audit: AuditLog

    init(instance: InstanceName, client: ClientDefinition, context: CallContext, audit: AuditLog) {
        self.instance = instance
        self.client = client
        self.context = context
        self.audit = audit
    }

    /// Where the instance's provider session is.
    var sessionField: String { client.sessionField(instance.account) }
    /// Where its tokens are.
    var tokenField: String { client.tokenField(instance.account) }
    /// Where its user record is.
    var userField: String { client.userField(instance.account) }

    /// When a call to the client that begins now gives up.
    func deadline() -> ContinuousClock.Instant { min(context.deadline, .now + client.timeout) }

    /// On whose behalf the client is called now, be it with the answer to a page.
    func caller(isStep: Bool = false) -> Caller {
        var caller = context.caller
        caller.deadline = isStep ? min(context.deadline, .now + client.stepTimeout) : deadline()
        caller.storages[.consents] = AuditedConsents(call: self)
        return caller
    }
}

/// Writes each consent that is given in a user's place into the audit, and keeps none.
private final class AuditedConsents: Storage {
    private let call: InstanceCall

    init(call: InstanceCall) {
        self.call = call
    }

    func save(_ item: ConsentGrant) async throws(StorageError) {
        let facts = AuditFacts(
            call.context.sessionKey, call.instance, more: ["scope": item.scopes.joined(separator: " ")])
        call.audit.write(.consent(.given), call.context, facts)
    }

    func get() async throws(StorageError) -> ConsentGrant? { nil }
    func delete() async throws(StorageError) {}
}
