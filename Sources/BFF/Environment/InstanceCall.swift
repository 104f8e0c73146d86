import Basics
import OpenIDConnect
import Orchestrate
import Sessions

/// A request to an instance: the instance, its client, and the request itself.
///
/// It is a class because many values of a step hold it: a copy is then a reference, not a copy of the whole request.
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

    /// The field of the instance's provider session.
    var sessionField: String { client.sessionField(instance.account) }
    /// The field of the instance's tokens.
    var tokenField: String { client.tokenField(instance.account) }
    /// The field of the instance's user record.
    var userField: String { client.userField(instance.account) }

    /// The deadline of a call to the client that begins now.
    func deadline() -> ContinuousClock.Instant { min(context.deadline, .now + client.timeout) }

    /// The caller for a call to the client that begins now; `isStep` is true for an answer to a page.
    func caller(isStep: Bool = false) -> Caller {
        var caller = context.caller
        caller.deadline = isStep ? min(context.deadline, .now + client.stepTimeout) : deadline()
        caller.storages[.consents] = AuditedConsents(call: self)
        return caller
    }
}

/// Writes each consent that the server gives for a user into the audit, and stores none.
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
