import Basics
import HTTPCore
import Orchestrate
import TestSupport
import Testing

extension SharedKey where Value == String {
    fileprivate static var left: SharedKey { SharedKey("left") }
    fileprivate static var right: SharedKey { SharedKey("right") }
}

@Suite("Init")
struct InitializationTests {
    @Test func `runs all handlers at the same time and merges what they publish`() async throws {
        let gate = Gate()
        let module = Module.of { setup in
            setup.initialize { context in
                await gate.pass()
                context.shared[.left] = "l"
            }
            setup.initialize { context in
                await gate.pass()
                context.shared[.right] = "r"
            }
            setup.start { context, request in
                request.header(name: "x-seen", value: (context.shared[.left] ?? "") + (context.shared[.right] ?? ""))
            }
        }
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport) { $0.module(module) }
        async let step = workflow.bound(to: caller()).start()
        await gate.waitUntilHeld(2)
        gate.open()
        _ = try await step
        #expect(transport.requests[0].header("x-seen") == "lr")
    }

    @Test func `runs once for callers that start together`() async throws {
        let gate = Gate()
        let tally = Tally()
        let module = Module.of { setup in
            setup.initialize { _ in
                tally.note("init")
                await gate.pass()
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) { $0.module(module) }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask { try await workflow.bound(to: caller()).start().success != nil }
            }
            await gate.waitUntilHeld(1)
            gate.open()
            for try await ended in group { #expect(ended) }
        }
        #expect(tally.all == ["init"])
    }

    @Test func `that failed is not remembered: the next start runs every handler again`() async throws {
        let tally = Tally()
        let module = Module.of { setup in
            setup.initialize { _ in tally.note("good") }
            setup.initialize { _ in
                tally.note("bad")
                if tally.count("bad") < 3 { throw TransportError.notReached(.connect) }
            }
        }
        let transport = ScriptedTransport.answering(#"{"token":"t"}"#)
        let workflow = try makeWorkflow(transport) { $0.module(module) }
        for _ in 0..<2 {
            guard case .notReached(.connect)? = try await workflow.bound(to: caller()).start().cause else {
                Issue.record("expected the cause of init")
                return
            }
        }
        #expect(transport.requests.isEmpty)
        #expect(try await workflow.bound(to: caller()).start().success != nil)
        #expect(try await workflow.bound(to: caller()).start().success != nil)
        #expect(tally.count("bad") == 3)
        #expect(tally.count("good") == 3)
    }

    @Test func `runs before next in a process that has started no flow itself`() async throws {
        let tally = Tally()
        let module = Module.of { $0.initialize { _ in tally.note("init") } }
        let transport = ScriptedTransport.answering(#"{"page":1}"#, #"{"token":"t"}"#)
        let first = try makeWorkflow(transport) { $0.module(module) }
        let second = try makeWorkflow(transport) { $0.module(module) }
        let step = try await first.bound(to: caller()).start()
        let stored = step.flow.encoded
        let end = try await second.bound(to: caller()).next(try FlowState(decoding: stored))
        #expect(end.success != nil)
        #expect(tally.all == ["init", "init"])
    }

    @Test func `keeps no caller longer than its deadline`() async throws {
        let gate = Gate()
        let module = Module.of { $0.initialize { _ in await gate.pass() } }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) { $0.module(module) }
        let step = try await workflow.bound(to: caller(within: .milliseconds(1))).start()
        guard case .notReached(.timeout)? = step.cause else {
            Issue.record("expected a timeout")
            return
        }
        gate.open()
        #expect(try await workflow.bound(to: caller()).start().success != nil)
    }

    @Test func `outlives the caller who began it`() async throws {
        let gate = Gate()
        let tally = Tally()
        let module = Module.of { setup in
            setup.initialize { _ in
                tally.note("init")
                await gate.pass()
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) { $0.module(module) }
        let first = Task { try await workflow.bound(to: caller()).start() }
        await gate.waitUntilHeld()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await workflow.bound(to: caller()).start().success != nil)
        #expect(tally.all == ["init"])
    }
}
