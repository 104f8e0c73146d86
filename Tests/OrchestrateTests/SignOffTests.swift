import Basics
import HTTPCore
import Orchestrate
import TestSupport
import Testing

private func signer(_ tally: Tally, _ name: String, throwing: Bool = false, address: Bool = false) -> Module<Void> {
    Module.of(name: name) { setup in
        setup.signOff { context, request in
            tally.note(name)
            #expect(context.flow == FlowContext())
            request.header(name: "x-\(name)", value: "1")
            if address { request.url(provider) }
            if throwing { throw Oops(text: name) }
        }
    }
}

@Suite("Signing off")
struct SignOffTests {
    @Test(arguments: [200, 302, 401, 500])
    func `does not look at the status`(status: Int) async throws {
        let transport = ScriptedTransport()
        transport.on(.get, provider, answering: .json("{}", status: status))
        let workflow = try makeWorkflow(transport) { $0.module(signer(Tally(), "a", address: true)) }
        let outcome = await workflow.bound(to: caller()).signOffOutcome()
        #expect(outcome.failures.isEmpty)
        #expect(outcome.response?.status == status)
    }

    @Test func `runs every handler and sends, also when one throws`() async throws {
        let tally = Tally()
        let transport = ScriptedTransport()
        transport.on(.get, provider, answering: .json("{}"))
        let workflow = try makeWorkflow(transport) {
            $0.module(signer(tally, "a", throwing: true))
            $0.module(signer(tally, "b", address: true))
            $0.module(signer(tally, "c", throwing: true))
        }
        let outcome = await workflow.bound(to: caller()).signOffOutcome()
        #expect(tally.all == ["a", "b", "c"])
        #expect(outcome.failures.count == 2)
        #expect(outcome.response?.status == 200)
        let sent = try #require(transport.requests.first)
        #expect(sent.header("x-a") == nil)
        #expect(sent.header("x-b") == "1")
        guard case .failure(.moduleFailed(.signOff, let error)) = outcome.result else {
            Issue.record("expected the first failure")
            return
        }
        #expect(error as? Oops == Oops(text: "a"))
    }

    @Test func `runs its handlers also when init fails`() async throws {
        let tally = Tally()
        let module = Module.of { $0.initialize { _ in throw TransportError.notReached(.resolve) } }
        let transport = ScriptedTransport()
        transport.on(.get, provider, answering: .json("{}"))
        let workflow = try makeWorkflow(transport) {
            $0.module(module)
            $0.module(signer(tally, "a", address: true))
        }
        let outcome = await workflow.bound(to: caller()).signOffOutcome()
        #expect(tally.all == ["a"])
        #expect(outcome.failures.count == 1)
        #expect(outcome.response != nil)
    }

    @Test func `fails when no handler sets an address, and when the provider cannot be reached`() async throws {
        let workflow = try makeWorkflow(ScriptedTransport()) { $0.module(signer(Tally(), "a")) }
        guard case .failure(.configuration) = await workflow.bound(to: caller()).signOff() else {
            Issue.record("expected a missing address")
            return
        }
        let far = try makeWorkflow(ScriptedTransport()) { $0.module(signer(Tally(), "a", address: true)) }
        guard case .failure(.notReached(.resolve)) = await far.bound(to: caller()).signOff() else {
            Issue.record("expected an unreachable provider")
            return
        }
    }
}
