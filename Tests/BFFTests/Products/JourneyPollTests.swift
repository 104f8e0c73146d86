import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("A page of a journey that waits")
struct JourneyPollTests {
    private static func page(
        _ authID: String, message: String = "Wait", time: String = #""1000""#, exit: String = "Exit", number: Int = 0
    ) -> String {
        #"{"authId":"\#(authID)","stage":"push","callbacks":[{"type":"PollingWaitCallback","output":[{"name":"waitTime","value":\#(time)},{"name":"message","value":"\#(message)"}],"_id":\#(number)},"#
            + #"{"type":"ConfirmationCallback","output":[{"name":"options","value":["\#(exit)"]}],"input":[{"name":"IDToken2","value":100}],"_id":\#(number + 1)},"#
            + #"{"type":"HiddenValueCallback","output":[{"name":"value","value":""}],"input":[{"name":"IDToken3","value":"mfa"}]}]}"#
    }

    /// AM, which answers with these pages in turn, and what it was sent.
    private func bench(_ pages: String...) throws -> (ScriptedSignIn, Locked<[JSONValue]>) {
        let bench = try ScriptedSignIn()
        let (left, sent) = (Locked(pages[...]), Locked<[JSONValue]>([]))
        bench.network.on(.post, ScriptedSignIn.authenticate) { request in
            if let body = try? JSONValue(parsing: request.body) { sent.withLock { $0.append(body) } }
            return .json(left.withLock { $0.popFirst() } ?? "{}")
        }
        return (bench, sent)
    }

    private func poll(_ node: JSONValue, _ values: [String: JSONValue] = [:], action: String? = "PollingWaitCallback-0")
        throws -> NextRequest
    {
        let flow = try #require(node["flow"]?.string)
        let answers = PageAnswers(values: values, action: action)
        return NextRequest(
            flow: flow, step: Int(node["step"]?.int ?? 0), answers: answers,
            identity: .answers(Array("\(values)\(action ?? "")".utf8)))
    }

    private func authIDs(_ sent: Locked<[JSONValue]>) -> [String] {
        sent.withLock { $0.compactMap { $0["authId"]?.string } }
    }

    @Test("goes back with its newest step token, says when it may be polled, and keeps its step whatever it says")
    func renewed() async throws {
        let (bench, sent) = try bench(
            Self.page("a1"), Self.page("a2", message: "Still", number: 2), Self.page("a3", time: "2500"),
            Self.page("a4", exit: "Deny"))
        let browser = Browser(
            try bench.backend(MemoryStore(time: bench.time), ServerKey(id: "k1", key: SecureRandom.bytes(32))))
        let page = try await browser.start()
        #expect(
            page["callbacks"]?[0]?.object?["nextPollIn"]?.int == 1000 && page["callbacks"]?[0]?["waitTime"]?.int == 1000
        )
        bench.time.advance(by: .milliseconds(999))
        #expect(try await browser.next(try poll(page))["callbacks"]?[0]?["nextPollIn"]?.int == 1)
        #expect(authIDs(sent) == [])
        bench.time.advance(by: .milliseconds(1))
        let second = try await browser.next(try poll(page))
        #expect(second["step"]?.int == 1 && second["callbacks"]?[0]?["message"] == "Still")
        bench.time.advance(by: .seconds(1))
        let third = try await browser.next(try poll(page, ["IDToken3": "filled"], action: nil))
        #expect(third["step"]?.int == 1 && third["callbacks"]?[0]?["nextPollIn"]?.int == 2500)
        bench.time.advance(by: .milliseconds(2500))
        #expect(try await browser.next(try poll(page))["step"]?.int == 2, "what may be answered is something else")
        #expect(authIDs(sent) == ["a1", "a2", "a3"])
        let inputs = sent.withLock {
            $0.dropFirst().map { [$0["callbacks"]?[1], $0["callbacks"]?[2]].map { $0?["input"]?[0]?["value"] } }
        }
        #expect(inputs == [[100, "mfa"], [100, "filled"], [100, "mfa"]])
    }

    @Test("has what a program fills in sent only when that is due, and its exit at any time")
    func exit() async throws {
        let (bench, sent) = try bench(Self.page("a1"), Self.page("b1", exit: "Other"))
        let browser = Browser(
            try bench.backend(MemoryStore(time: bench.time), ServerKey(id: "k1", key: SecureRandom.bytes(32))))
        let page = try await browser.start()
        for action in [nil, "IDToken2", "IDToken3"] {
            #expect(try await browser.next(try poll(page, ["IDToken3": "x"], action: action))["step"]?.int == 1)
        }
        #expect(authIDs(sent) == [])
        let after = try await browser.next(try poll(page, ["IDToken2": 0], action: nil))
        #expect(after["step"]?.int == 2 && sent.withLock { $0.last?["callbacks"]?[1]?["input"]?[0]?["value"] } == 0)
    }

    @Test("has its exit sent with the step token that a poll of another process has brought meanwhile")
    func overtaken() async throws {
        let (bench, sent) = try bench(Self.page("a1"), Self.page("a2"), Self.page("b1", exit: "Other"))
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let store = MemoryStore(time: bench.time)
        let browser = Browser(try bench.backend(store, key))
        let page = try await browser.start()
        bench.time.advance(by: .seconds(1))
        let faulty = FaultyStore(store)
        let other = browser.at(try bench.backend(faulty, key))
        // The second read is the one before the step is written as sent.
        let request = try poll(page)
        faulty.before(1) { _ = try? await browser.next(request) }
        #expect(try await other.next(try poll(page, ["IDToken2": 0], action: nil))["step"]?.int == 2)
        #expect(authIDs(sent) == ["a1", "a2"])
    }
}
