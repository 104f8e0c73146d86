import Basics
import Foundation
import JSON
import JourneyClient
import Orchestrate
import TestSupport
import Testing

/// A page of one callback after another.
func page(_ callbacks: String...) throws -> JourneyPage {
    try JourneyPage(try JSONValue(parsing: #"{"authId":"a","callbacks":[\#(callbacks.joined(separator: ","))]}"#))
}

func callback(_ type: String, _ outputs: String = "", input: String? = #""""#) -> String {
    let inputs = input.map { #","input":[{"name":"IDToken1","value":\#($0)}]"# } ?? ""
    let list = outputs.isEmpty ? "" : outputs
    return #"{"type":"\#(type)","output":[\#(list)]\#(inputs)}"#
}

func output(_ name: String, _ value: String) -> String {
    #"{"name":"\#(name)","value":\#(value)}"#
}

/// What a browser is shown of a callback; it has to be what the contract says of the type.
func shown(_ callback: String) throws -> String {
    let document = try #require(try page(callback).questions.first).document
    #expect(try ContractFile.browsers.get().faults(in: .object(document), as: "Callback") == [])
    return document.text
}

/// What the inputs of a callback hold when it was answered, in order.
func sent(_ callback: String, _ answer: JSONValue) throws -> String {
    let page = try page(callback)
    let body = try filled(page, answer)
    return JSONValue.array((body["callbacks"]?[0]?["input"]?.array ?? []).map { $0["value"] ?? "missing" }).text
}

/// The step with an answer to its first callback, as it goes to AM.
///
/// Ping's programs fill the step themselves: read out of it, the answers fill it in the same way.
func filled(_ page: JourneyPage, _ answer: JSONValue) throws -> JSONObject {
    let body = try page.body(answering: Answers([page.callbacks[0].id: answer]))
    #expect(try page.body(answering: page.answers(filledIn: body)) == body, "\(answer.text)")
    return body
}

/// A callback with the inputs of these names, all empty.
func callback(_ type: String, _ outputs: [String], inputs: [String]) -> String {
    let list = inputs.map { #"{"name":"\#($0)","value":""}"# }.joined(separator: ",")
    return #"{"type":"\#(type)","output":[\#(outputs.joined(separator: ","))],"input":[\#(list)]}"#
}

/// What is wrong with an answer to a callback, which then is not sent.
func faults(_ callback: String, _ answer: JSONValue) throws -> [AnswerProblem.Code] {
    let page = try page(callback)
    let answers = Answers([page.callbacks[0].id: answer])
    let codes = page.validate(answers).map(\.code)
    if !codes.isEmpty { #expect(throws: InvalidAnswersError.self) { try page.body(answering: answers) } }
    return codes
}

/// Longer than a text may be.
let longText = JSONValue.string(String(repeating: "x", count: 8193))

@Suite("A question as the browser sees it")
struct QuestionTests {
    /// What CONTRIBUTING.md says that a callback type needs, besides its schema, which `shown` looks for.
    @Test(arguments: CallbackCatalogue.standard.wireTypes + [UnsupportedCallback.wireType])
    func `is tested in a file of its own`(type: String) throws {
        let path = ContractFile.root + "Tests/JourneyClientTests/Callbacks/\(type)Tests.swift"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("shown(") && text.contains("faults("))
    }

    @Test func `is named after its first input where that is unique, else after type and place`() throws {
        let name = callback("NameCallback")
        let found = try page(
            name, callback("TextOutputCallback", input: nil), name.replacing("IDToken1", with: "IDToken3"))
        #expect(found.callbacks.map(\.id) == ["IDToken1", "TextOutputCallback-1", "IDToken3"])
        let twice = try page(name, callback("PasswordCallback"))
        #expect(twice.callbacks.map(\.id) == ["NameCallback-0", "PasswordCallback-1"])
        let hostile = try page(
            callback("TextOutputCallback", input: nil), name.replacing("IDToken1", with: "TextOutputCallback-0"))
        #expect(Set(hostile.callbacks.map(\.id)).count == 2)
    }

    @Test func `is named after type and place where its input has no name, and can be answered`() throws {
        for input in [#""name":"","value":"""#, #""value":"""#, #""name":5,"value":"""#] {
            let odd = #"{"type":"NameCallback","input":[{\#(input)}]}"#
            let found = try page(odd, odd)
            #expect(found.callbacks.map(\.id) == ["NameCallback-0", "NameCallback-1"])
            let body = try found.body(answering: Answers(["NameCallback-1": "demo"]))
            #expect((body["callbacks"]?.array ?? []).map { $0["input"]?[0]?["value"] } == ["", "demo"])
        }
    }

    @Test func `fills only inputs that there are, and keeps those that nobody answered`() throws {
        let fewer = callback(
            "KbaCreateCallback", [output("allowUserDefinedQuestions", "true")], inputs: ["IDToken1answer"])
        #expect(try sent(fewer, ["question": "Q?", "answer": "A"]) == #"["A"]"#)
        let more = callback("NameCallback", [], inputs: ["IDToken1", "IDToken1more"])
        #expect(try sent(more, "demo") == #"["demo",""]"#)
        #expect(try sent(#"{"type":"NameCallback"}"#, "demo") == "[]")
    }
}

@Suite("A page")
struct PageTests {
    @Test func `shows stage, header and description when it has them`() throws {
        let full = try JourneyPage(
            try JSONValue(parsing: #"{"authId":"a","callbacks":[],"stage":"S","header":"H","description":""}"#))
        #expect(full.document().text == #"{"stage":"S","header":"H","description":"","callbacks":[]}"#)
        let bare = try JourneyPage(try JSONValue(parsing: #"{"authId":"a","callbacks":[],"stage":5,"header":null}"#))
        #expect(bare.document().text == #"{"callbacks":[]}"#)
    }

    @Test func `takes its stage from metadata only when it has none of its own`() throws {
        let metadata = #"{"type":"MetadataCallback","output":[{"name":"data","value":{"stage":"M"}}]}"#
        #expect(try page(metadata).stage == "M")
        let own = try JourneyPage(try JSONValue(parsing: #"{"authId":"a","stage":"S","callbacks":[\#(metadata)]}"#))
        #expect(own.stage == "S")
    }

    @Test func `does not print its step`() throws {
        let page = try page(
            callback("NameCallback", input: #""canary""#),
            callback("HiddenValueCallback", output("value", #""otpauth://canary""#)),
            callback("UnheardOfCallback", output("value", #""canary""#)))
        var dumped = ""
        dump(page, to: &dumped)
        dump(page.callbacks, to: &dumped)
        dump(page.questions, to: &dumped)
        #expect(!"\(page) \(String(reflecting: page)) \(page.callbacks) \(dumped)".contains("canary"))
    }

    @Test func `never shows a script, and still sends it back`() throws {
        let script = callback(
            "TextOutputCallback", output("message", #""canary()""#) + "," + output("messageType", #""4""#), input: nil)
        let found = try page(script, callback("NameCallback").replacing("IDToken1", with: "IDToken2"))
        #expect(found.questions.map(\.id) == ["IDToken2"])
        #expect(!found.document().text.contains("canary"))
        let body = try found.body(answering: Answers(["IDToken2": "x"]))
        #expect(body["callbacks"]?[0]?["output"]?[0]?["value"] == "canary()")
    }

    @Test(arguments: ["[]", "5", "null", #"{"callbacks":{}}"#])
    func `that is none is refused`(json: String) throws {
        let step = try JSONValue(parsing: json)
        #expect(throws: JourneyPage.Malformed.self) { try JourneyPage(step) }
    }

    @Test func `goes back member for member and number for number, only answered inputs changed`() throws {
        let text = #"""
            {"z":[1.0,1e3,-0],"authId":"a","callbacks":[{"_id":0,"input":[{"value":"","name":"IDToken1","x":1.10},{"name":"IDToken1validateOnly","value":false}],"type":"ValidatedCreateUsernameCallback","output":[]},{"type":"Odd","input":[{"name":"IDToken2","value":3.0}]}],"stage":null,"own":{"b":1,"a":2}}
            """#
        let page = try JourneyPage(try JSONValue(parsing: text))
        #expect(try page.body(answering: Answers()).text == text)
        let answered = try page.body(answering: Answers(["IDToken1": ["value": "ann", "validateOnly": true]])).text
        #expect(
            answered
                == text.replacing(#""value":"","name":"IDToken1""#, with: #""value":"ann","name":"IDToken1""#)
                .replacing("validateOnly\",\"value\":false", with: "validateOnly\",\"value\":true"))
    }

    @Test func `adds a value to an input that came without one`() throws {
        let page = try JourneyPage(
            try JSONValue(
                parsing: #"{"authId":"a","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1"}]}]}"#))
        #expect(
            try page.body(answering: Answers(["IDToken1": "x"])).text
                == #"{"authId":"a","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1","value":"x"}]}]}"#)
    }

    @Test func `can be taught another type`() throws {
        struct Shout: JourneyCallback {
            static let wireType = "ShoutCallback"
            let raw: RawCallback
            init(_ raw: RawCallback) { self.raw = raw }
            var members: JSONObject { ["loud": true] }
            var answerSchema: JSONObject? { ["type": "string"] }
            func refusal(of answer: JSONValue) -> AnswerRefusal? { nil }
            func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
        }
        let catalogue = CallbackCatalogue.standard.adding([Shout.self])
        let page = try JourneyPage(
            try JSONValue(parsing: #"{"authId":"a","callbacks":[\#(callback("ShoutCallback"))]}"#), catalogue: catalogue
        )
        #expect(page.questions[0].members["loud"] == true)
        #expect(catalogue.wireTypes.count == CallbackCatalogue.standard.wireTypes.count + 1)
    }
    @Test func `can be taught one that changes the request and is closed after it`() async throws {
        struct Mark: JourneyCallback, RequestInterceptor, CloseableAction {
            static let wireType = "MarkCallback"
            static let closed = Locked(0)
            let raw: RawCallback
            init(_ raw: RawCallback) { self.raw = raw }
            var members: JSONObject { [:] }
            var answerSchema: JSONObject? { nil }
            func refusal(of answer: JSONValue) -> AnswerRefusal? { nil }
            func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
            func intercept(_ context: inout StepContext, _ request: inout Request, answers: Answers) {
                request.header(name: "x-mark", value: id)
            }
            func close() { Self.closed.withLock { $0 += 1 } }
        }
        let am = try ScriptedAM()
        am.steps(#"{"authId":"a","callbacks":[\#(callback("MarkCallback"))]}"#)
        let journey = try am.journey { $0.catalogue = .standard.adding([Mark.self]) }
        let bound = journey.bound(to: Desk().caller())
        let first = try await bound.start("Login")
        _ = try await bound.next(first.flow)
        #expect(am.sent(ScriptedAM.authenticate).last?.header("x-mark") == "IDToken1")
        #expect(Mark.closed.withLock { $0 } == 1)
        #expect(first.page?.actions.count == 1 && first.page?.callbacks.count == 1)
    }
}
