import Basics
import HTTPCore
import JSON
import Orchestrate
import TestSupport
import Testing

private struct ThrowerConfig: Sendable {
    var phase: EnginePhase?
    var error: any Error = Oops()
}

/// Throws in one phase.
private let thrower = Module.of({ ThrowerConfig() }, name: "thrower") { setup in
    let (phase, error) = (setup.config.phase, setup.config.error)
    if phase == .initialize { setup.initialize { _ in throw error } }
    if phase == .start { setup.start { _, _ in throw error } }
    if phase == .next { setup.next { _, _, _ in throw error } }
    if phase == .transport { setup.transport { _, _ in throw error } }
    if phase == .response { setup.response { _, _ in throw error } }
    if phase == .transform { setup.transform { _, _ in throw error } }
    if phase == .node { setup.node { _, _ in throw error } }
    if phase == .success { setup.success { _, _ in throw error } }
}

@Suite("A step that goes wrong")
struct FailureTests {
    @Test(arguments: [EnginePhase.initialize, .start, .transport, .response, .transform, .node, .success])
    func `becomes a failure node that names the phase`(phase: EnginePhase) async throws {
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) {
            $0.module(thrower) { $0.phase = phase }
        }
        let step = try await workflow.bound(to: caller()).start()
        guard case .moduleFailed(phase, let error)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(error is Oops)
        #expect(step.flow.isOver)
    }

    @Test func `in next names that phase, and nothing is sent`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport) { $0.module(thrower) { $0.phase = .next } }
        let bound = workflow.bound(to: caller())
        let step = try await bound.next(try await bound.start().flow)
        guard case .moduleFailed(.next, _)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(transport.requests.count == 1)
    }

    @Test func `keeps the flow where it was when nothing reached the provider`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport)
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        transport.on(.post, provider, failing: .notReached(.tls))
        let step = try await bound.next(first.flow)
        guard case .notReached(.tls)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(step.leavesFlowUntouched)
        #expect(step.flow == first.flow)
    }

    @Test func `ends the flow when the request was sent and no usable answer came`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport)
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        transport.on(.post, provider, failing: .noUsableAnswer(.timeout))
        let step = try await bound.next(first.flow)
        guard case .noUsableAnswer(.timeout)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(step.flow.isOver)
        guard case .flowOver? = try await bound.next(step.flow).cause else {
            Issue.record("expected that the flow is over")
            return
        }
    }

    @Test(arguments: [
        (429, "7", Duration.seconds(7)), (503, "120", .seconds(120)), (503, "999999", .seconds(3600)),
        (503, "Thu, 01 Jan 2026 00:01:00 GMT", .seconds(60)), (429, "soon", nil), (503, nil, nil),
    ])
    func `with 429 or 503 says how long to wait and keeps the flow`(
        status: Int, header: String?, wait: Duration?
    ) async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport)
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        var answer = ClientResponse.json(#"{"refused":"busy"}"#, status: status)
        if let header { try answer.fields.set(.retryAfter, checking: header) }
        transport.on(.post, provider, answering: answer)
        let step = try await bound.next(first.flow)
        guard case .busy(status, let found)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(found == wait)
        #expect(step.flow.page == first.flow.page)
    }

    @Test(arguments: ["", "[]", "{", "<html>", #"{"a":1,"a":2}"#])
    func `keeps status and the beginning of a body that is no JSON object`(body: String) async throws {
        let transport = ScriptedTransport()
        transport.on(.post, provider, answering: .json(body, status: 502))
        let step = try await makeWorkflow(transport).bound(to: caller()).start()
        guard case .malformed(502, let excerpt)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(excerpt.reveal() == body)
        #expect(!"\(step.node)".contains(body) || body.isEmpty)
    }

    @Test func `still shows the answer to the response handlers, refusals and 5xx included`() async throws {
        let tally = Tally()
        let module = Module.of { $0.response { _, response in tally.note("\(response.status)") } }
        let transport = ScriptedTransport()
        for status in [200, 401, 429, 500, 503] {
            transport.on(.post, provider, answering: .json("x", status: status))
            _ = try await makeWorkflow(transport) { $0.module(module) }.bound(to: caller()).start()
        }
        #expect(tally.all == ["200", "401", "429", "500", "503"])
    }

    @Test func `says so when nobody turns answers into a request`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let module = Module.of { setup in
            setup.start { _, request in request.url(provider) }
            setup.transform { _, _ in .continue(ContinueNode(input: [:])) }
        }
        let workflow = try Workflow.createWorkflow {
            $0.transport = transport
            $0.module(module)
        }
        let step = try await workflow.bound(to: caller()).next(FlowState(page: Array("{}".utf8)))
        guard case .configuration? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
    }
}

@Suite("A flow that ended well at the provider only")
struct AbandonTests {
    private func abandoner(_ name: String, _ tally: Tally) -> Module<Void> {
        Module.of { setup in
            setup.abandon { context, node in
                tally.note("\(name) \(node.session.value.reveal()) \(Task.isCancelled)")
                #expect(context.caller.deadline > .now)
            }
        }
    }

    @Test(arguments: [EnginePhase.node, .success])
    func `is undone by every module, the last one first`(phase: EnginePhase) async throws {
        let tally = Tally()
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"orphan"}"#)) {
            $0.module(abandoner("a", tally))
            $0.module(thrower) { $0.phase = phase }
            $0.module(abandoner("b", tally))
        }
        #expect(try await workflow.bound(to: caller()).start().cause != nil)
        #expect(tally.all == ["b orphan false", "a orphan false"])
    }

    @Test func `is undone also when the caller has gone`() async throws {
        let tally = Tally()
        let gate = Gate()
        let waiter = Module.of { setup in
            setup.success { _, _ in
                await gate.pass()
                try Task.checkCancellation()
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"orphan"}"#)) {
            $0.module(abandoner("a", tally))
            $0.module(waiter)
        }
        let task = Task { try await workflow.bound(to: caller()).start() }
        await gate.waitUntilHeld()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(tally.all == ["a orphan false"])
    }

    @Test func `hands over the session that could not be ended, and none where all went well`() async throws {
        let orphaned = Module.of { $0.abandon { context, node in context.orphan = node.session } }
        for phase in [EnginePhase.success, nil] {
            let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"orphan"}"#)) {
                $0.module(orphaned)
                $0.module(thrower) { $0.phase = phase }
            }
            let step = try await workflow.bound(to: caller()).start()
            #expect(step.orphan?.value.reveal() == (phase == nil ? nil : "orphan"))
            #expect(!step.leavesFlowUntouched)
        }
    }

    @Test func `is undone within the caller's time, so that the answer is not late`() async throws {
        let hurried = caller(within: .seconds(2))
        let bounded = Module.of { setup in
            setup.abandon { context, node in
                #expect(context.caller.deadline <= hurried.deadline)
                context.orphan = node.session
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"orphan"}"#)) {
            $0.module(bounded)
            $0.module(thrower) { $0.phase = .success }
        }
        #expect(try await workflow.bound(to: hurried).start().orphan != nil)
    }

    @Test func `is not undone when it never ended`() async throws {
        let tally = Tally()
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"page":1}"#)) {
            $0.module(abandoner("a", tally))
            $0.module(thrower) { $0.phase = .node }
        }
        #expect(try await workflow.bound(to: caller()).start().cause != nil)
        #expect(tally.all.isEmpty)
    }
}

@Suite("Cancellation")
struct CancellationTests {
    @Test func `is thrown to the caller and never becomes a node`() async throws {
        let gate = Gate()
        let transport = ScriptedTransport()
        transport.on(.post, provider) { _ throws(TransportError) in
            await gate.pass()
            if Task.isCancelled { throw .cancelled }
            return .json(#"{"token":"t"}"#)
        }
        let workflow = try makeWorkflow(transport)
        let task = Task { try await workflow.bound(to: caller()).start() }
        await gate.waitUntilHeld()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await workflow.bound(to: caller()).start().success != nil)
    }

    @Test func `of somebody else is a failure like any other`() async throws {
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) {
            $0.module(thrower) {
                $0.phase = .success
                $0.error = CancellationError()
            }
        }
        guard case .moduleFailed(.success, _)? = try await workflow.bound(to: caller()).start().cause else {
            Issue.record("expected a failure node")
            return
        }
    }

    @Test func `that a transport reports without anyone cancelling counts as sent without an answer`() async throws {
        let transport = ScriptedTransport()
        transport.on(.post, provider, failing: .cancelled)
        guard case .noUsableAnswer? = try await makeWorkflow(transport).bound(to: caller()).start().cause else {
            Issue.record("expected an unusable answer")
            return
        }
    }
}

@Suite("A module that reaches nobody after the provider has answered")
struct LateFailureTests {
    @Test(
        arguments: [EnginePhase.response, .transform, .node, .success],
        [EngineError.notReached(.connect), .busy(status: 503, retryAfter: nil)])
    func `ends the flow: its answers must not be sent a second time`(phase: EnginePhase, error: EngineError)
        async throws
    {
        let transport = ScriptedTransport.answering(#"{"page":1}"#, #"{"token":"t"}"#)
        let first = try await makeWorkflow(transport).bound(to: caller()).start()
        let workflow = try makeWorkflow(transport) {
            $0.module(thrower) {
                $0.phase = phase
                $0.error = error
            }
        }
        let step = try await workflow.bound(to: caller()).next(first.flow)
        guard case .moduleFailed(phase, let cause)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(cause is EngineError)
        #expect(!step.leavesFlowUntouched)
        #expect(step.flow.isOver)
    }

    @Test(
        arguments: [EnginePhase.initialize, .next],
        [
            Oops(), EngineError.unexpectedStatus(500, excerpt: Secret("")), EngineError.notReached(.connect),
            EngineError.noUsableAnswer(.timeout), EngineError.malformed(status: 200, excerpt: Secret("")),
            EngineError.configuration("x"), EngineError.busy(status: 503, retryAfter: nil),
        ] as [any Error])
    func `leaves the flow where it was when nothing was sent yet`(phase: EnginePhase, error: any Error) async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let first = try await makeWorkflow(transport).bound(to: caller()).start()
        let workflow = try makeWorkflow(transport) {
            $0.module(thrower) {
                $0.phase = phase
                $0.error = error
            }
        }
        let step = try await workflow.bound(to: caller()).next(first.flow)
        #expect(step.cause != nil && step.leavesFlowUntouched)
        #expect(step.flow == first.flow)
        #expect(transport.requests.count == 1)
    }
}
