import Basics
import StorageKit

/// What a link that was opened goes on with.
struct OpenedLink: Sendable {
    /// The flow that waited for it in this browser; nil where none did, and the link counts as opened in another browser.
    let flow: FlowRecord?
}

/// Flows that wait for a link, and what becomes of them when one is opened.
struct SuspendedFlows: Sendable {
    private let records: SessionRecords
    private let flows: Flows

    init(_ flows: Flows) {
        records = flows.records
        self.flows = flows
    }

    /// The flow that a link goes on with: of those of the instance that wait for one, the last.
    ///
    /// - Throws: `.storeUnavailable`.
    func open(_ call: InstanceCall, _ session: OpenedSession?) async throws(BFFError) -> OpenedLink {
        guard let session, let meta = session.meta else { return OpenedLink(flow: nil) }
        let now = records.environment.now()
        let ids = meta.flows(of: call.instance).filter { now < $0.ends }.map(\.id)
        guard !ids.isEmpty else { return OpenedLink(flow: nil) }
        let stored = try await records.read(ids.map { FlowRecord.field($0) }, of: session)
        let waiting = ids.compactMap { stored.flow($0) }.last { flow in
            flow.phase == .ready && flow.awaits == .link && flow.madeBy == call.client.fingerprint
        }
        return OpenedLink(flow: waiting)
    }

    /// Ends the flow that waited, once the provider has taken the link: it will not be taken again.
    ///
    /// One that the store does not end waits until its time is over: what the link has brought counts more, and is stored, or
    /// ended at the provider, by what comes next.
    func end(_ link: OpenedLink?, _ outcome: SignInOutcome, _ session: OpenedSession?) async {
        guard let flow = link?.flow, let session else { return }
        switch outcome {
        case .failure, .notTaken: return
        case .page, .refused, .success, .successWithoutSession: _ = try? await flows.remove(flow.id, session)
        }
    }
}
