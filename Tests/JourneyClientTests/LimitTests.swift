import Basics
import HTTPCore
import JSON
import JourneyClient
import Orchestrate
import TestSupport
import Testing

@Suite("An answer of AM beyond a bound")
struct JourneyLimitTests {
    private let am: ScriptedAM

    init() throws { am = try ScriptedAM() }

    private func start(_ body: String, status: Int = 200) async throws -> FlowStep {
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(body, status: status))
        return try await am.journey().bound(to: Desk().caller()).start("Login")
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// A page, one callback after another.
    private static func page(_ callbacks: [String], authID: String = "a") -> String {
        #"{"authId":"\#(authID)","callbacks":[\#(callbacks.joined(separator: ","))]}"#
    }

    private static func shown(_ count: Int) -> String {
        #"{"type":"TextOutputCallback","output":[{"name":"message","value":"\#(text(count))"}]}"#
    }

    /// Lists inside each other, in the callback of a page: `depth` levels in all.
    private static func nested(_ depth: Int) -> String {
        let lists = String(repeating: "[", count: depth - 5) + String(repeating: "]", count: depth - 5)
        return page([#"{"type":"X","output":[{"name":"a","value":\#(lists)}]}"#])
    }

    @Test func `is refused before its callbacks are taken apart`() async throws {
        let body = Self.page(Array(repeating: #"{"type":"Counted"}"#, count: 201))
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(body))
        let journey = try am.journey { $0.catalogue = CallbackCatalogue([CountedCallback.self]) }
        let step = try await journey.bound(to: Desk().caller()).start("Login")
        #expect(step.page == nil)
        #expect(CountedCallback.made.withLock { $0 } == 0)
    }

    @Test func `is refused for its length before its callbacks are taken apart`() async throws {
        let before = CountedCallback.made.withLock { $0 }
        let padding = #"{"type":"Counted","output":[{"name":"a","value":["\#(Self.text(270_000))"]}]}"#
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(Self.page([padding])))
        let journey = try am.journey { $0.catalogue = CallbackCatalogue([CountedCallback.self]) }
        let step = try await journey.bound(to: Desk().caller()).start("Login")
        #expect(step.page == nil && CountedCallback.made.withLock { $0 } == before)
    }

    /// An answer, and the bound that it is beyond.
    struct Row: Sendable, CustomTestStringConvertible {
        let limit: JourneyLimitError
        let body: String
        /// The answers are as long as it takes.
        var testDescription: String { "\(limit), \(body.utf8.count) bytes" }

        init(_ limit: JourneyLimitError, _ body: String) { (self.limit, self.body) = (limit, body) }
    }

    static let within = [
        Row(.authID, page([], authID: text(65_536))), Row(.depth, nested(64)),
        Row(.callbacks, page(Array(repeating: shown(1), count: 200))), Row(.output, page([shown(65_536)])),
        // What is made of each of these texts is as long as the text.
        Row(.page, page(Array(repeating: shown(64_000), count: 2))),
        Row(.session, #"{"tokenId":"\#(text(65_536))"}"#), Row(.members, members(49_997)),
        Row(.answer, #"{"tokenId":"t","padding":"\#(text((1 << 20) - 28))"}"#),
    ]

    private static func members(_ count: Int) -> String {
        #"{"tokenId":"t","a":[0\#(String(repeating: ",0", count: count - 1))]}"#
    }

    @Test(arguments: within)
    func `is one only behind the bound`(row: Row) async throws {
        let step = try await start(row.body)
        #expect(step.page != nil || step.success != nil)
    }

    /// A callback whose small numbers become sentences.
    private static func policies(_ count: Int) -> String {
        let numbers = Array(repeating: "1", count: count).joined(separator: ",")
        return #"{"type":"ValidatedCreateUsernameCallback","output":[{"name":"failedPolicies","value":[\#(numbers)]}],"#
            + #""input":[{"name":"IDToken1","value":""}]}"#
    }

    static let beyond = [
        Row(.authID, page([], authID: text(65_537))), Row(.depth, nested(65)),
        Row(.callbacks, page(Array(repeating: shown(1), count: 201))), Row(.output, page([shown(65_537)])),
        Row(.output, page([#"{"type":"X","output":[{"name":"a","value":["\#(text(65_536))"]}]}"#])),
        Row(.page, page(Array(repeating: shown(64_000), count: 3))), Row(.page, page([policies(15_000)])),
        Row(.page, #"{"authId":"a","more":"\#(text(262_144))","callbacks":[]}"#),
        Row(.session, #"{"tokenId":"\#(text(65_537))"}"#), Row(.members, members(50_000)),
        Row(.answer, #"{"tokenId":"t","padding":"\#(text(1 << 20))"}"#),
    ]

    @Test(arguments: beyond)
    func `is not taken, and the failure names the bound`(row: Row) async throws {
        let step = try await start(row.body)
        guard case .moduleFailed(.transform, let error)? = step.cause else {
            Issue.record("\(row.limit) is no bound")
            return
        }
        #expect(error as? JourneyLimitError == row.limit)
        #expect(step.flow.isOver && !step.leavesFlowUntouched)
    }

    @Test func `has rows for each bound`() {
        #expect(Set(Self.beyond.map(\.limit)) == Set(JourneyLimitError.allCases))
        #expect(Set(Self.within.map(\.limit)) == Set(JourneyLimitError.allCases))
    }

    @Test func `is as little taken when it refuses`() async throws {
        for body in [Self.nested(65), #"{"message":"\#(Self.text(1 << 20))"}"#] {
            guard case .moduleFailed(.transform, let error)? = try await start(body, status: 401).cause else {
                Issue.record("expected a bound")
                return
            }
            #expect(error is JourneyLimitError)
        }
    }

    @Test func `is not what a stored page is held against`() async throws {
        let page = Self.page(Array(repeating: Self.shown(1), count: 201))
        #expect(try am.journey().workflow.open(FlowState(page: Array(page.utf8))).page.actions.count == 201)
    }
}

/// Counts how many are made, in one test alone.
private struct CountedCallback: JourneyCallback {
    static let wireType = "Counted"
    static let made = Locked(0)
    let raw: RawCallback
    let members = JSONObject()
    let answerSchema: JSONObject? = nil

    init(_ raw: RawCallback) {
        self.raw = raw
        Self.made.withLock { $0 += 1 }
    }

    func refusal(of answer: JSONValue) -> AnswerRefusal? { nil }
    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
}
