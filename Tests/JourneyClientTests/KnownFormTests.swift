import JSON
import Orchestrate
import Testing

@testable import JourneyClient

@Suite("A step with callbacks that AM has sent before")
struct KnownFormTests {
    private let pages = KnownPages<PageForm>()

    private func page(
        _ key: String, prompt: String = "User Name", stage: String = "Login", flow: String? = "own"
    ) throws -> JourneyPage {
        let step = try JSONValue(
            parsing: """
                {"authId":"\(key)","header":"of \(key)","stage":"\(stage)","callbacks":[{"type":"NameCallback","output":\
                [{"name":"prompt","value":"\(prompt)"}],"input":[{"name":"IDToken1","value":""}]},{"type":\
                "PasswordCallback","output":[{"name":"prompt","value":"Pass\\"word\\""}],"input":[{"name":"IDToken2",\
                "value":""}]}]}
                """)
        return try JourneyPage(
            step, catalogue: .standard, known: pages, sentTo: flow == "own" ? "flow of \(key)" : flow)
    }

    /// Whether two pages share what they show.
    private func share(_ left: JourneyPage, _ right: JourneyPage) -> Bool { left.parts.form === right.parts.form }

    @Test func `shares what it shows from the second time on`() throws {
        let (first, second, third) = (try page("a1"), try page("a2"), try page("a3"))
        #expect(!share(first, second))
        #expect(share(second, third))
        #expect(share(third, try page("a3", flow: nil)))
    }

    @Test func `keeps its own key and heading, in what is shown and in what goes back`() throws {
        let pages = try ["a1", "a2", "a3", "a4"].map { try page($0) }
        for (page, key) in zip(pages, ["a1", "a2", "a3", "a4"]) {
            #expect(page.step["authId"] == .string(key))
            #expect(page.header == "of \(key)")
            let body = try page.body(
                answering: Answers(["IDToken1": "maria", "IDToken2": .string("secret of \(key)")]))
            #expect(body["authId"] == .string(key))
            #expect(body["callbacks"]?[1]?["input"]?[0]?["value"] == .string("secret of \(key)"))
            let own = try JourneyPage(.object(page.step))
            #expect(page.document() == own.document())
            #expect(page.document().serialized() == own.document().serialized())
            #expect(
                try body
                    == own.body(answering: Answers(["IDToken1": "maria", "IDToken2": .string("secret of \(key)")])))
        }
    }

    @Test func `shares nothing with one that differs in a text, or in its stage`() throws {
        for key in ["a0", "a1"] { _ = try page(key) }
        let shared = try page("a")
        #expect(share(shared, try page("b")))
        #expect(!share(shared, try page("a", prompt: "E-mail")))
        #expect(!share(shared, try page("a", stage: "Other")))
    }

    @Test func `shares nothing that no other flow was sent`() throws {
        let first = try page("a1")
        #expect(!share(first, try page("a1", flow: nil)))
        #expect(!share(try page("a1", flow: nil), try page("a1", flow: nil)))
        // However often one flow is sent it, as while it is polled.
        let again = try ["a2", "a3", "a4"].map { try page($0, flow: "flow of a1") }
        #expect(!share(again[0], again[1]))
        #expect(!share(again[1], again[2]))
    }

    @Test func `shares nothing where a type of the program's own may make more of a callback than is in it`() throws {
        struct Holding: JourneyCallback {
            static let wireType = "NameCallback"
            let raw: RawCallback
            let members = JSONObject()
            let answerSchema: JSONObject? = nil
            init(_ raw: RawCallback) { self.raw = raw }
            func refusal(of answer: JSONValue) -> AnswerRefusal? { nil }
            func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {}
        }
        let step = try page("a1").step
        let catalogue = CallbackCatalogue.standard.adding([Holding.self])
        let made = try (0..<3).map { number in
            try JourneyPage(.object(step), catalogue: catalogue, known: pages, sentTo: "\(number)")
        }
        #expect(!share(made[0], made[1]))
        #expect(!share(made[1], made[2]))
    }

    @Test(arguments: [
        (#"{"type":"NameCallback","input":[{"name":"IDToken1","value":"maria"}]}"#, false),
        (#"{"type":"NameCallback","input":[{"name":"IDToken1","value":""}]}"#, true),
        (
            #"{"type":"StringAttributeInputCallback","output":[{"name":"value","value":"a@b"}],"input":[{"name":"IDToken1","value":""}]}"#,
            false
        ),
        (
            #"{"type":"NumberAttributeInputCallback","output":[{"name":"value","value":0}],"input":[{"name":"IDToken1","value":null}]}"#,
            false
        ),
        (
            #"{"type":"BooleanAttributeInputCallback","output":[{"name":"value","value":false}],"input":[{"name":"IDToken1","value":false}]}"#,
            false
        ),
        (
            #"{"type":"StringAttributeInputCallback","output":[{"name":"value","value":["x"]}],"input":[{"name":"IDToken1","value":""}]}"#,
            false
        ),
        (
            #"{"type":"StringAttributeInputCallback","output":[{"name":"value","value":""}],"input":[{"name":"IDToken1","value":""}]}"#,
            true
        ),
        (
            #"{"type":"ChoiceCallback","output":[{"name":"choices","value":["a","b"]}],"input":[{"name":"IDToken1","value":1}]}"#,
            true
        ),
    ])
    func `is shared unless it is filled for its user`(_ callback: String, _ isShared: Bool) throws {
        let made = try (0..<3).map { number in
            let step = try JSONValue(parsing: #"{"authId":"\#(number)","callbacks":[\#(callback)]}"#)
            return try JourneyPage(step, catalogue: .standard, known: pages, sentTo: "\(number)")
        }
        #expect(share(made[1], made[2]) == isShared)
    }

    @Test func `is malformed however often it comes`() throws {
        for number in 0..<3 {
            #expect(throws: JourneyPage.Malformed.self) {
                try JourneyPage(["callbacks": 5], catalogue: .standard, known: pages, sentTo: "\(number)")
            }
        }
    }
}
