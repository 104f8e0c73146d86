import Orchestrate
import TestSupport
import Testing

private struct NameConfig: Sendable {
    var name = "default"
    var suffix = ""
    var tally = Tally()
}

/// Notes its configured name at each start.
private func named(_ name: String, _ tally: Tally) -> Module<NameConfig> {
    Module.of({ NameConfig(name: name, tally: tally) }, name: name) { setup in
        setup.start { _, _ in setup.config.tally.note(setup.config.name + setup.config.suffix) }
    }
}

@Suite("Modules")
struct ModuleOrderTests {
    private func order(_ register: (inout WorkflowConfig, Tally) -> Void) async throws -> [String] {
        let tally = Tally()
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"page":1}"#)) { register(&$0, tally) }
        _ = try await workflow.bound(to: caller()).start()
        return tally.all
    }

    @Test func `run in the order of registration while their priorities are equal`() async throws {
        let names = (0..<40).map { "m\($0)" }
        let found = try await order { config, tally in
            for name in names { config.module(named(name, tally)) }
        }
        #expect(found == names)
    }

    @Test func `run the lower priority first`() async throws {
        let found = try await order { config, tally in
            config.module(named("late", tally), priority: 20)
            config.module(named("default", tally))
            config.module(named("early", tally), priority: 1)
        }
        #expect(found == ["early", "default", "late"])
    }

    @Test func `keep place and priority when overridden, and forget their configuration`() async throws {
        let found = try await order { config, tally in
            let first = named("first", tally)
            config.module(first, priority: 5) { $0.suffix = "-customised" }
            config.module(named("second", tally), priority: 6)
            config.module(first, priority: 99)
        }
        #expect(found == ["first", "second"])
    }

    @Test func `are added again in append mode, where no later override finds them`() async throws {
        let found = try await order { config, tally in
            let module = named("m", tally)
            config.module(module) { $0.suffix = "1" }
            config.module(module, mode: .append) { $0.suffix = "2" }
            config.module(module) { $0.suffix = "3" }
            config.module(module, priority: 1, mode: .append) { $0.suffix = "4" }
        }
        #expect(found == ["m4", "m3", "m2"])
    }

    @Test func `are left alone in ignore mode`() async throws {
        let found = try await order { config, tally in
            let module = named("m", tally)
            config.module(module, mode: .ignore) { $0.suffix = "1" }
            config.module(module, mode: .ignore) { $0.suffix = "2" }
        }
        #expect(found == ["m1"])
    }

    @Test func `made by the same code are different modules`() async throws {
        let found = try await order { config, tally in
            config.module(named("m", tally))
            config.module(named("m", tally))
        }
        #expect(found == ["m", "m"])
    }

    @Test func `cannot register handlers once the workflow is built`() async throws {
        let tally = Tally()
        let late = Module.of { setup in
            setup.start { _, _ in
                setup.start { _, _ in tally.note("late") }
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"page":1}"#)) { $0.module(late) }
        _ = try await workflow.bound(to: caller()).start()
        _ = try await workflow.bound(to: caller()).start()
        #expect(tally.all.isEmpty)
    }

    @Test func `are set up once however many flows run`() async throws {
        let tally = Tally()
        let module = Module.of { _ in tally.note("setup") }
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"page":1}"#)) { $0.module(module) }
        for _ in 0..<3 { _ = try await workflow.bound(to: caller()).start() }
        #expect(tally.all == ["setup"])
    }
}

@Suite("Building a workflow")
struct WorkflowBuildTests {
    @Test func `fails without a transform`() throws {
        let error = #expect(throws: WorkflowError.self) {
            try Workflow.createWorkflow { $0.transport = ScriptedTransport() }
        }
        guard case .missingTransform? = error else {
            Issue.record("expected a missing transform")
            return
        }
        #expect(error.map { "\($0)" }?.contains("transform") == true)
    }

    @Test func `fails without a transport`() throws {
        let error = #expect(throws: WorkflowError.self) { try Workflow.createWorkflow { $0.module(product) } }
        guard case .missingTransport? = error else {
            Issue.record("expected a missing transport")
            return
        }
    }

    @Test func `fails when a module refuses its configuration`() throws {
        let error = #expect(throws: WorkflowError.self) {
            _ = try makeWorkflow(ScriptedTransport()) { $0.module(Module.of(name: "strict") { _ in throw Oops() }) }
        }
        guard case .refused("strict", let cause)? = error else {
            Issue.record("expected a refusal")
            return
        }
        #expect(cause is Oops)
    }

    @Test(arguments: [(5, true), (10, false), (20, false)])
    func `fails when a module would run before one it must follow`(priority: Int, fails: Bool) throws {
        let follower = Module.of(name: "follower") { $0.runs(after: product) }
        let build = {
            _ = try makeWorkflow(ScriptedTransport()) { $0.module(follower, priority: priority) }
        }
        guard fails else { return try build() }
        let error = #expect(throws: WorkflowError.self, performing: build)
        guard case .order("follower", "product")? = error else {
            Issue.record("expected an order that cannot be met")
            return
        }
    }

    @Test func `reports each override`() throws {
        let workflow = try makeWorkflow(ScriptedTransport()) { $0.module(product) }
        #expect(workflow.overridden == ["product"])
    }
}
