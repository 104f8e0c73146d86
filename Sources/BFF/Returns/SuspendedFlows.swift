import Basics
import Sessions
import StorageKit

/// Finds the flow that waits for an opened link, and ends it afterwards.
struct SuspendedFlows: Sendable {
    private let records: SessionRecords
    private let flows: Flows

    init(_ flows: Flows) {
        records = flows.records
        self.flows = flows
    }

    /// Finds the flow that a link continues: the newest flow of the instance that waits for a link.
    ///
    /// - Returns: nil if no flow of this browser waits; the link then counts as opened in another browser.
    /// - Throws: `.storeUnavailable`.
    func find(_ call: InstanceCall, _ session: OpenedSession?) async throws(BFFError) -> FlowRecord? {
        guard let session, let meta = session.meta else { return nil }
        let now = records.environment.now()
        let ids = meta.flows(of: call.instance).filter { now < $0.ends }.map(\.id)
        guard !ids.isEmpty else { return nil }
        let stored = try await records.read(ids.map { FlowRecord.field($0) }, of: session)
        return ids.compactMap { stored.flow($0) }.last { flow in
            flow.phase == .ready && flow.awaits == .link && flow.madeBy == call.client.fingerprint
        }
    }

    /// Ends the flow that waited, once the provider has accepted the link, which it accepts only once.
    ///
    /// If the store does not end the flow, it waits until it expires: the result of the link matters more, and the next
    /// step stores it or ends it at the provider.
    func end(_ waiting: FlowRecord?, _ outcome: SignInOutcome, _ session: OpenedSession?) async {
        guard let waiting, let session else { return }
        switch outcome {
        case .failure, .notTaken: return
        case .page, .refused, .success, .successWithoutSession: _ = try? await flows.remove(waiting.id, session)
        }
    }
}
