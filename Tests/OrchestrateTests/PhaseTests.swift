import Basics
import HTTPCore
import JSON
import Orchestrate
import TestSupport
import Testing

/// Registers every phase and counts the calls.
private let counter = Module.of({ Tally() }, name: "counter") { setup in
    let tally = setup.config
    setup.initialize { _ in tally.note("init") }
    setup.start { _, _ in tally.note("start") }
    setup.next { _, _, _ in tally.note("next") }
    setup.response { _, _ in tally.note("response") }
    setup.node { _, _ in tally.note("node") }
    setup.success { _, _ in tally.note("success") }
    setup.abandon { _, _ in tally.note("abandon") }
    setup.signOff { _, request in
        tally.note("signOff")
        request.url(provider)
        request.body([:])
    }
}

@Suite("A workflow")
struct PhaseTests {
    @Test func `calls each handler as often as a login of two steps needs it`() async throws {
        let tally = Tally()
        let transport = ScriptedTransport.answering(#"{"page":1}"#, #"{"token":"t"}"#)
        let workflow = try makeWorkflow(transport) { $0.module(counter) { $0 = tally } }
        let bound = workflow.bound(to: caller())

        let first = try await bound.start()
        let second = try await bound.next(first.flow, Answers(["a": "x"]))
        #expect(second.success?.session.value.reveal() == "t")
        #expect(tally.count("init") == 1)
        #expect(tally.count("start") == 1)
        #expect(tally.count("next") == 1)
        #expect(tally.count("response") == 2)
        #expect(tally.count("node") == 2)
        #expect(tally.count("success") == 1)
        #expect(tally.count("abandon") == 0)

        guard case .success = await bound.signOff() else {
            Issue.record("sign-off failed")
            return
        }
        #expect(tally.count("signOff") == 1)
        #expect(tally.count("init") == 1)
        #expect(tally.count("response") == 2)
        #expect(tally.count("node") == 2)
        #expect(transport.requests.count == 3)
    }

    @Test func `may end with its first answer`() async throws {
        let workflow = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#))
        let step = try await workflow.bound(to: caller()).start()
        #expect(step.success?.isSignedIn == true)
        #expect(step.flow.isOver)
    }

    @Test func `signs nobody in without a session`() async throws {
        let workflow = try makeWorkflow(ScriptedTransport.answering("{}"))
        #expect(try await workflow.bound(to: caller()).start().success?.isSignedIn == false)
    }

    @Test func `folds requests so that no handler loses what another one added`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let first = Module.of { $0.start { _, request in request.header(name: "x-one", value: "1") } }
        let second = Module.of { $0.start { _, request in request.parameter(name: "two", value: "2") } }
        let workflow = try makeWorkflow(transport) {
            $0.module(first)
            $0.module(second)
        }
        _ = try await workflow.bound(to: caller()).start()
        let sent = try #require(transport.requests.first)
        #expect(sent.url.query == "two=2")
        #expect(sent.header("x-one") == "1")
        #expect(sent.body == Array("{}".utf8))
    }

    @Test func `lets node and success handlers replace what they get`() async throws {
        let tally = Tally()
        let module = Module.of { setup in
            setup.abandon { _, node in tally.note(node.session.value.reveal()) }
            setup.node { _, node in
                if case .success(let success) = node, success.input["token"] == "weak" {
                    node = .error(ErrorNode(status: 200, input: success.input, message: "too weak"))
                }
            }
            setup.success { _, node in node.session = Token("stronger") }
        }
        let weak = try makeWorkflow(ScriptedTransport.answering(#"{"token":"weak"}"#)) { $0.module(module) }
        guard case .error(let error) = try await weak.bound(to: caller()).start().node else {
            Issue.record("expected the replaced node")
            return
        }
        #expect(error.message == "too weak")
        #expect(tally.all == ["weak"])
        let strong = try makeWorkflow(ScriptedTransport.answering(#"{"token":"t"}"#)) { $0.module(module) }
        let session = try await strong.bound(to: caller()).start().success?.session
        #expect(session?.value.reveal() == "stronger")
        #expect(tally.all == ["weak"])
    }

    @Test func `closes every action after the request was built and before it is sent`() async throws {
        let tally = Tally()
        let transport = ScriptedTransport()
        transport.on(.post, provider) { request in
            tally.note("sent \(request.url.query ?? "-")")
            return .json(#"{"page":1}"#)
        }
        let watcher = Module.of { $0.next { _, _, _ in tally.note("next") } }
        let workflow = try makeWorkflow(transport, tally: tally) { $0.module(watcher) }
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        _ = try await bound.next(first.flow)
        #expect(
            tally.all == [
                "sent -", "intercept one body true", "intercept two body true", "next", "close one", "close two",
                "sent intercepted=one&intercepted=two",
            ])
    }

    @Test func `closes the actions also when an interceptor refuses, and sends nothing`() async throws {
        let tally = Tally()
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport, tally: tally)
        let bound = workflow.bound(to: caller())
        let first = try await bound.start()
        let step = try await bound.next(first.flow, Answers(action: "refuse"))
        guard case .moduleFailed(.request, let error)? = step.cause else {
            Issue.record("expected a failure in the phase request")
            return
        }
        #expect(error as? Oops == Oops())
        #expect(tally.all == ["intercept one body true", "close one", "close two"])
        #expect(transport.requests.count == 1)
    }

    @Test func `uses the transport handler registered last and still runs the response handlers`() async throws {
        let tally = Tally()
        func transport(_ name: String) -> Module<Void> {
            Module.of { setup in
                setup.transport { _, request in
                    tally.note(name)
                    return Response(status: 200, body: Array(#"{"token":"\#(name)"}"#.utf8), request: request)
                }
            }
        }
        let workflow = try makeWorkflow(ScriptedTransport()) {
            $0.module(transport("first"))
            $0.module(transport("last"))
            $0.module(counter) { $0 = tally }
        }
        let step = try await workflow.bound(to: caller()).start()
        #expect(step.success?.session.value.reveal() == "last")
        #expect(tally.count("first") == 0)
        #expect(tally.count("response") == 1)
    }

    @Test(arguments: [#"{"page":1,"key":"canary"}"#, #"{"token":"canary"}"#, #"{"refused":"canary"}"#])
    func `gives nodes that do not print what the provider sent`(body: String) async throws {
        let step = try await makeWorkflow(ScriptedTransport.answering(body)).bound(to: caller()).start()
        var dumped = ""
        dump(step, to: &dumped)
        #expect(!"\(step) \(step.node) \(String(reflecting: step.node)) \(dumped)".contains("canary"))
    }

    @Test func `takes the context of the request along to the transport`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport)
        let context = RequestContext(id: "r-1", trace: TraceContext(random: [UInt8](repeating: 1, count: 24)))
        _ = try await RequestScope.$current.withValue(context) { try await workflow.bound(to: caller()).start() }
        #expect(transport.requests.map(\.context) == [context])
    }
}
