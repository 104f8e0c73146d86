import Basics
import Sessions
import StorageKit

/// The pages that were polled before their time, kept as they are shown: further early polls open no flow.
///
/// A page is shown for the sealed record that it was read from, and for no other one: each change of a flow seals its
/// record anew, and the end of a flow deletes or replaces it. The caller has opened the session that the record is of.
/// New settings begin without pages: a page is shown by the client that opened its flow.
///
/// Neither positions nor keys of flows are kept, and no page of a step-up, which another user must not see. A page whose
/// wait is over goes when the next one comes.
final class WaitingPages: Sendable {
    /// The most pages that are kept.
    static let limit = 128
    /// The longest sealed record whose page is kept.
    static let longestRecord = 32 * 1024

    private struct Key: Hashable {
        let session: SessionKey
        let flow: String
    }

    private struct Page {
        let sealed: [UInt8]
        let instance: InstanceName
        let step: Int
        let question: String
        /// The time from which a poll reaches the provider.
        let due: Timestamp
        let ends: Timestamp
        let node: FlowNode
    }

    private let pages = Locked([Key: Page]())

    /// The number of pages that are kept.
    var count: Int { pages.withLock { $0.count } }

    /// Keeps the page with which an early poll was answered.
    func keep(
        _ node: FlowNode, of flow: FlowRecord, at page: any OpenedFlow, in session: OpenedSession, _ now: Timestamp
    ) {
        guard case .poll(let question, _) = page.wait, case .poll(let due) = flow.awaits,
            let sealed = session.snapshot[FlowRecord.field(flow.id)]?.value,
            // rule: no page of a step-up is kept
            flow.goal == nil,
            // rule: a kept page is not long
            sealed.count <= Self.longestRecord
        else { return }
        let page = Page(
            sealed: sealed, instance: flow.instance, step: flow.step, question: question, due: due, ends: flow.ends,
            node: node)
        let key = Key(session: session.key, flow: flow.id)
        pages.withLock { pages in
            pages = pages.filter { now < $0.value.due }
            // rule: kept pages have a bound | true
            if pages.count < Self.limit || pages[key] != nil { pages[key] = page }
        }
    }

    /// The page that a poll gets before its time.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - field: The field of the flow that the request names.
    ///   - session: The session of the request, opened with its current cookie, with that field.
    ///   - call: The instance and the client of the request.
    ///   - now: The time.
    /// - Returns: The page; nil for any other request, and for a page that is not kept.
    func page(
        for request: NextRequest, _ field: String, in session: OpenedSession, _ call: InstanceCall, at now: Timestamp
    ) -> FlowNode? {
        let key = Key(session: session.key, flow: request.flow)
        guard let page = pages.withLock({ $0[key] }) else { return nil }
        // rule: a kept page is shown for its own record alone
        guard session.snapshot[field]?.value == page.sealed,
            // rule: a kept page is shown until a poll is due
            now < page.due,
            // rule: a kept page is shown until its flow ends
            now < page.ends
        else {
            pages.withLock { $0[key] = nil }
            return nil
        }
        guard request.polls(page.question, of: page.step),
            // rule: a kept page is shown under its own instance
            page.instance == call.instance
        else { return nil }
        return page.node.shown(
            again: page.question, nextPollIn: page.due - now, expiresIn: max(0, (page.ends - now).wholeSeconds))
    }
}

extension NextRequest {
    /// True if the request is surely a poll of a step that is to be answered at once.
    fileprivate func polls(_ question: String, of step: Int) -> Bool {
        guard self.step == step, wait == .zero, answers.filledPage == nil, answers.returned == nil, !answers.confirms
        else { return false }
        return answers.action == question || answers.action == nil && answers.values.isEmpty
    }
}

extension FlowNode {
    /// The page of the node at a later time.
    fileprivate func shown(again question: String, nextPollIn: Duration, expiresIn: Int64) -> FlowNode? {
        guard case .page(var page) = state else { return nil }
        page.expiresIn = expiresIn
        page.shown.annotate(question) { $0.nextPollIn = nextPollIn }
        return FlowNode(kind: kind, flow: flow, .page(page))
    }
}
