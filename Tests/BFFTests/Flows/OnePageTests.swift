import BFF
import Basics
import Cryptography
import HTTPCore
import JSON
import JourneyClient
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// How often a request opens, reads and makes what it needs of a flow.
@Suite("One way of a page:")
struct OnePageTests {
    private typealias Uses = [FakeProvider.FlowUse: Int]

    /// The calls of the store and what was done with flows, by one request.
    private func costs(
        _ fixture: Fixture, _ request: () async throws -> Void
    ) async throws -> (store: [String], flow: Uses) {
        fixture.store.reset()
        _ = fixture.provider.takeFlowUses()
        fixture.store.openFlowsOnce()
        defer { fixture.store.openFlowsAlways() }
        try await request()
        return (fixture.store.calls.map(\.name), fixture.provider.takeFlowUses())
    }

    @Test("a start makes a page, shows it and stores it, and reads nothing again", arguments: StoreKind.allCases)
    func start(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let first = try await costs(fixture) { try await browser.start() }
        #expect(first.store == ["commit"] && first.flow == [.show: 1, .store: 1])
        let second = try await costs(fixture) { try await browser.start() }
        #expect(second.store == ["read", "read", "commit"] && second.flow == [.show: 1, .store: 1])
    }

    @Test("a fresh step opens the record once, judges once, and shows what came", arguments: StoreKind.allCases)
    func fresh(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"), .refused("Wrong code"), .failure("authentication-failed"))
        var node = try await browser.start()
        for type in ["continue", "error"] {
            let body = try Browser.answer(node, [:])
            let costs = try await costs(fixture) { node = try await browser.next(body) }
            #expect(node["type"]?.string == type)
            // The session is looked at when the request comes, right before the step is sent, and after the answer.
            #expect(costs.store == ["read", "read", "commit", "read", "commit"])
            #expect(costs.flow == [.open: 1, .judge: 1, .show: 1, .store: 1])
        }
        let end = try await costs(fixture) { try await browser.next(try Browser.answer(node, [:])) }
        #expect(end.flow == [.open: 1, .judge: 1])
    }

    @Test("a sign-in opens the record once and judges once", arguments: StoreKind.allCases)
    func signIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let costs = try await costs(fixture) { try await browser.next(try Browser.login(page)) }
        #expect(costs.store.filter { $0 == "read" }.count == 3 && costs.flow == [.open: 1, .judge: 1])
    }

    @Test("a repeated step reads once and shows; wrong and late answers too", arguments: StoreKind.allCases)
    func others(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"))
        let page = try await browser.start()
        let wrong = try await costs(fixture) {
            await #expect(throws: BFFError.self) { try await browser.next(try Browser.answer(page, ["x": "1"])) }
        }
        #expect(wrong.store == ["read"] && wrong.flow == [.open: 1, .judge: 1])
        let body = try Browser.login(page)
        try await browser.next(body)
        let repeated = try await costs(fixture) { try await browser.next(body) }
        #expect(repeated.store == ["read"] && repeated.flow == [.open: 1, .show: 1])
        let late = try await costs(fixture) {
            await #expect(throws: BFFError.self) { try await browser.next(try Browser.login(page, "alice")) }
        }
        #expect(late.store == ["read"] && late.flow == [.open: 1, .show: 1])
        let looked = try await costs(fixture) { _ = try await browser.flow(page) }
        #expect(looked.store == ["read"] && looked.flow == [.open: 1, .show: 1])
    }

    @Test("a journey reads each page of AM's once, and judges, fills and shows its callbacks once")
    func journey() async throws {
        let catalogue = CallbackCatalogue([CountedCallback.self])
        let bench = try ScriptedSignIn(catalogue: catalogue)
        let step = #"{"authId":"a","callbacks":[{"type":"Counted","input":[{"name":"IDToken1","value":""}]}]}"#
        bench.network.on(.post, ScriptedSignIn.authenticate, answering: .json(step))
        let store = MemoryStore(time: bench.time)
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let browser = Browser(try bench.backend(store, key))
        func costs(_ request: () async throws -> Void) async throws -> [String: Int] {
            CountedCallback.uses.withLock { $0 = [:] }
            try await request()
            return CountedCallback.uses.withLock { $0 }
        }
        var node = JSONValue.null
        #expect(try await costs { node = try await browser.start() } == ["read": 1, "show": 1])
        let wrong = try Browser.answer(node, ["IDToken1": ""])
        let refused = try await costs {
            await #expect(throws: BFFError.self) { try await browser.next(wrong) }
        }
        #expect(refused == ["read": 1, "judge": 1])
        let body = try Browser.answer(node, ["IDToken1": "x"])
        // One page was stored, the other came.
        let fresh = try await costs { try await browser.next(body) }
        #expect(fresh == ["read": 2, "judge": 1, "fill": 1, "show": 1])
        #expect(try await costs { try await browser.next(body) } == ["read": 1, "show": 1])
    }
}

/// Counts what is done with it, in one test alone; refuses the empty text.
private struct CountedCallback: JourneyCallback {
    static let wireType = "Counted"
    static let uses = Locked<[String: Int]>([:])
    let raw: RawCallback

    init(_ raw: RawCallback) {
        self.raw = raw
        Self.note("read")
    }

    var members: JSONObject {
        Self.note("show")
        return [:]
    }

    var answerSchema: JSONObject? { ["type": "string"] }

    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        Self.note("judge")
        return answer == "" ? AnswerRefusal(.required, "an answer is missing") : nil
    }

    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        Self.note("fill")
        inputs.set(0, answer)
    }

    private static func note(_ use: String) {
        uses.withLock { $0[use, default: 0] += 1 }
    }
}
