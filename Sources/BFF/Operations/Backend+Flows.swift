import Basics
import StorageKit

extension Backend {
    /// The node that a flow shows, so that a page reload continues.
    ///
    /// - Throws: `.flowExpired` for a flow that is unknown, over or of another instance.
    public func flow(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        guard FlowRecord.isID(id), let session = try await open(context, [FlowRecord.field(id)]) else {
            throw .flowExpired
        }
        let now = time.now()
        // Before the flow is looked for: a cookie that was replaced does not even learn whether there is one.
        guard session.claims.standing(at: now) == .current else { throw .sessionChanged }
        guard let flow = session.flow(id), flow.instance == instance else { throw .flowExpired }
        switch flow.phase {
        case .sent(_, let deadline) where now >= deadline:
            return Reply(NodeDocument.failure(flow.id, definition.client.kind, .outcomeUnknown))
        case .ready, .sent:
            guard now < flow.ends else { throw .flowExpired }
            return Reply(try render(flow, definition))
        case .ended:
            guard let kept = flow.kept, now < kept.until, case .node(let node) = kept.outcome else {
                throw .flowExpired
            }
            return Reply(node)
        }
    }

    /// Cancels a flow; one that is gone already counts as cancelled.
    public func cancelFlow(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) -> Reply {
        let (instance, _) = try resolve(name)
        guard FlowRecord.isID(id), let session = try await open(context, [FlowRecord.field(id)]) else {
            return Reply()
        }
        guard session.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
        guard let flow = session.flow(id), flow.instance == instance else { return Reply() }
        do {
            try await edit(session) { session, edit throws(EditError) in
                guard var meta = session.meta else { return }
                meta.flows.removeAll { $0.id == id }
                edit.delete(FlowRecord.field(id))
                try edit.put(MetaRecord.field, meta.encoded)
            }
        } catch .signedOut {
            // It went with its session.
        }
        return Reply()
    }
}
