import Basics
import Foundation
import HTTPCore
import JSON
import TestSupport
import Testing

@testable import Orchestrate

private struct Options: Codable, Sendable, Equatable {
    var forceAuth: Bool
    var names: [String]
}

extension FlowKey where Value == Options {
    fileprivate static var options: FlowKey { FlowKey("test.options") }
}

extension FlowKey where Value == String {
    fileprivate static var text: FlowKey { FlowKey("test.text") }
}

extension FlowKey where Value == Int {
    fileprivate static var visits: FlowKey { FlowKey("test.visits") }
    /// The name of another key with another type.
    fileprivate static var mistyped: FlowKey { FlowKey("test.text") }
}

extension FlowKey where Value == Bool {
    fileprivate static var flag: FlowKey { FlowKey("test.flag") }
}

extension FlowKey where Value == Double {
    fileprivate static var number: FlowKey { FlowKey("test.number") }
}

/// Counts the steps of its own flow.
private let visits = Module.of { setup in
    setup.start { context, request in
        context.flow[.visits] = 1
        request.parameter(name: "visits", value: "1")
    }
    setup.next { context, _, request in
        let seen = (context.flow[.visits] ?? 0) + 1
        context.flow[.visits] = seen
        request.parameter(name: "visits", value: "\(seen)")
    }
}

@Suite("The state of a flow")
struct FlowStateTests {
    private var full: FlowState {
        var state = FlowState(page: Array(#"{"page":1.0}"#.utf8))
        state.context[.options] = Options(forceAuth: true, names: ["a", "ß", "/"])
        state.context[.text] = "\u{0}\"x"
        return state
    }

    @Test func `survives its stored form`() throws {
        #expect(try FlowState(decoding: full.encoded) == full)
        #expect(try FlowState(decoding: FlowState().encoded) == FlowState())
        let read = try FlowState(decoding: full.encoded)
        #expect(read.context[.options] == Options(forceAuth: true, names: ["a", "ß", "/"]))
        #expect(read.context[.text] == "\u{0}\"x")
    }

    @Test func `is refused when any part of its record is missing, doubled or of another version`() {
        let bytes = full.encoded
        for count in 0..<bytes.count {
            #expect(throws: RecordError.malformed) { try FlowState(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: RecordError.malformed) { try FlowState(decoding: bytes + [0]) }
        #expect(throws: RecordError.newer(9)) { try FlowState(decoding: [9] + bytes.dropFirst()) }
    }

    @Test func `gives nil for a value of another type, and forgets what is set to nil`() {
        var context = full.context
        #expect(context[.mistyped] == nil)
        context[.text] = nil
        #expect(context[.text] == nil)
        #expect(context[.options] != nil)
    }

    @Test func `keeps values with a form of their own, and reads them from JSON as well`() throws {
        var jar = CookieJar()
        let url = try #require(WebURL("https://a.example/x"))
        jar.store(try #require(SetCookie(parsing: "route=\"ü;\"; Path=/")), from: url, now: Timestamp(seconds: 0))
        var context = FlowContext()
        context[.cookies] = jar
        context[.flag] = false
        #expect(context[.cookies] == jar && context[.flag] == false)
        // Another key of the same name, with a type that has only JSON.
        #expect(context[FlowKey<String>("test.flag")] == nil)
        // A hand-written value of another type.
        #expect(context[FlowKey<CookieJar>("test.flag")] == nil)
        let state = FlowState(context: context)
        #expect(try FlowState(decoding: state.encoded).context[.cookies] == jar)

        let json = String(decoding: try JSONEncoder().encode(jar), as: UTF8.self)
        let older = FlowContext(entries: ["orchestrate.cookies": json, "test.flag": "true"])
        #expect(older[.cookies] == jar && older[.flag] == true)
        for broken in ["~", "~Ag", "~!", "~AgI", "~AgEB", "~AQE"] {
            #expect(FlowContext(entries: ["test.flag": broken])[.flag] == nil)
        }
    }

    @Test func `keeps every other value in the words of Foundation's coder, and reads them from it`() throws {
        let coder = JSONEncoder()
        coder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let options = Options(forceAuth: true, names: ["a", "ß", "/\u{1}"])
        let texts = [
            "test.options": String(decoding: try coder.encode(options), as: UTF8.self),
            "test.text": String(decoding: try coder.encode("\u{0}\"x/\u{2028}"), as: UTF8.self), "test.visits": "7",
            "test.number": String(decoding: try coder.encode(2.0), as: UTF8.self),
        ]
        var context = FlowContext()
        context[.options] = options
        context[.text] = "\u{0}\"x/\u{2028}"
        context[.visits] = 7
        context[.number] = 2
        #expect(context.entries == texts)
        let older = FlowContext(entries: texts)
        #expect(older == context)
        #expect(older[.options] == options && older[.visits] == 7 && older[.number] == 2)
    }

    @Test func `prints no values`() {
        var state = FlowState(page: Array("canary".utf8))
        state.context[.text] = "canary"
        var dumped = ""
        dump(state, to: &dumped)
        #expect(!"\(state) \(state.context) \(dumped)".contains("canary"))
        #expect(!"\(Answers(["x": "canary"]))".contains("canary"))
    }

    @Test func `is carried from step to step, each flow for itself`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let workflow = try makeWorkflow(transport) { $0.module(visits) }
        let bound = workflow.bound(to: caller())
        let one = try await bound.start()
        let other = try await bound.start()
        let oneAgain = try await bound.next(one.flow)
        _ = try await bound.next(oneAgain.flow)
        _ = try await bound.next(other.flow)
        let seen = transport.requests.map { $0.parameters?.all("visits") ?? [] }
        #expect(seen == [["1"], ["1"], ["2"], ["3"], ["2"]])
    }

    @Test func `carries what the caller put in at start`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let reader = Module.of { setup in
            setup.start { context, request in
                request.parameter(name: "force", value: "\(context.flow[.options]?.forceAuth ?? false)")
            }
        }
        var options = FlowContext()
        options[.options] = Options(forceAuth: true, names: [])
        let workflow = try makeWorkflow(transport) { $0.module(reader) }
        _ = try await workflow.bound(to: caller()).start(options)
        _ = try await workflow.bound(to: caller()).start()
        #expect(transport.requests.map(\.url.query) == ["force=true", "force=false"])
    }

    @Test func `keeps the page exactly as it came`() async throws {
        let page = #"{"z":1,"page":1.10,"a":{"y":3.0,"b":[1e3]}}"#
        let step = try await makeWorkflow(ScriptedTransport.answering(page)).bound(to: caller()).start()
        #expect(step.flow.page.map { String(decoding: $0, as: UTF8.self) } == page)
    }

    @Test func `that cannot be stored makes the step a failure before anything is sent`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let module = Module.of { $0.start { context, _ in context.flow[.number] = .infinity } }
        let step = try await makeWorkflow(transport) { $0.module(module) }.bound(to: caller()).start()
        guard case .configuration(let text)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(text.contains("test.number"))
        #expect(transport.requests.isEmpty)
    }

    @Test func `with a page that is not JSON fails without sending`() async throws {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let step = try await makeWorkflow(transport).bound(to: caller()).next(FlowState(page: [0xFF]))
        guard case .configuration? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect(transport.requests.isEmpty)
    }
}
