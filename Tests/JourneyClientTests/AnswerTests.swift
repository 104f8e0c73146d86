import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("An answer")
struct AnswerTests {
    private static let long = JSONValue.string(String(repeating: "x", count: 8193))

    @Test(
        arguments: [
            (callback("NameCallback"), JSONValue.number(JSONNumber(5)), AnswerProblem.Code.wrongType),
            (callback("NameCallback"), .null, .wrongType),
            (callback("NameCallback"), ["a"], .wrongType),
            (callback("NameCallback"), Self.long, .tooLong),
            (callback("PasswordCallback"), true, .wrongType),
            (callback("PasswordCallback"), Self.long, .tooLong),
            (callback("TextInputCallback"), Self.long, .tooLong),
            (callback("HiddenValueCallback"), .string(String(repeating: "x", count: 65_537)), .tooLong),
            (callback("ChoiceCallback", output("choices", #"["a","b"]"#)), 2, .outOfRange),
            (callback("ChoiceCallback", output("choices", #"["a","b"]"#)), -1, .outOfRange),
            (callback("ChoiceCallback", output("choices", #"["a","b"]"#)), "0", .wrongType),
            (callback("ChoiceCallback", output("choices", "[]")), 0, .outOfRange),
            (callback("ConfirmationCallback", output("options", #"["a"]"#)), 100, .outOfRange),
            (callback("ConfirmationCallback", output("optionType", "2")), 0, .outOfRange),
            (callback("ConfirmationCallback", output("optionType", "2")), true, .wrongType),
            (callback("TextOutputCallback"), "x", .notAnswerable),
            (callback("UnheardOfCallback"), "x", .notAnswerable),
            (callback("ValidatedCreateUsernameCallback"), ["value": "x"], .wrongType),
        ] as [(String, JSONValue, AnswerProblem.Code)])
    func `that does not fit its question is reported`(callback: String, answer: JSONValue, code: AnswerProblem.Code)
        throws
    {
        let page = try page(callback)
        let answers = Answers([page.callbacks[0].id: answer])
        #expect(page.validate(answers).map(\.code) == [code])
        #expect(throws: InvalidAnswers.self) { try page.body(answering: answers) }
    }

    @Test(arguments: [
        (#""x""#, AnswerProblem.Code.wrongType), ("{}", .required), (#"{"validateOnly":true}"#, .required),
        (#"{"value":5}"#, .wrongType), (#"{"value":"x","validateOnly":"yes"}"#, .wrongType),
        (#"{"value":"x","more":1}"#, .wrongType),
    ])
    func `to a question with two inputs is an object of exactly its members`(answer: String, code: AnswerProblem.Code)
        throws
    {
        for type in ["ValidatedCreateUsernameCallback", "ValidatedCreatePasswordCallback"] {
            let page = try page(
                #"{"type":"\#(type)","output":[],"input":[{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":false}]}"#
            )
            #expect(page.validate(Answers(["IDToken1": try JSONValue(parsing: answer)])).map(\.code) == [code])
        }
    }

    @Test func `to no question of the page is reported, all of them at once`() throws {
        let script = callback("TextOutputCallback", output("messageType", #""4""#), input: nil)
        let page = try page(callback("NameCallback"), script)
        let problems = page.validate(
            Answers(["IDToken1": 5, "IDToken9": "x", "TextOutputCallback-1": "x", "": "y"], action: "nothing"))
        #expect(problems.map(\.id) == ["IDToken1", "TextOutputCallback-1", "", "IDToken9", "nothing"])
        #expect(
            problems.map(\.code) == [.wrongType, .unknownQuestion, .unknownQuestion, .unknownQuestion, .unknownAction])
    }

    @Test func `finds its place also where the flag comes first`() throws {
        let page = try page(
            #"{"type":"ValidatedCreatePasswordCallback","output":[],"input":[{"name":"IDToken1validateOnly","value":true},{"name":"IDToken1","value":""}]}"#
        )
        let inputs = try page.body(answering: Answers(["IDToken1validateOnly": ["value": "x"]]))["callbacks"]?[0]?[
            "input"]
        #expect(inputs?.text == #"[{"name":"IDToken1validateOnly","value":false},{"name":"IDToken1","value":"x"}]"#)
    }

    @Test func `cannot press a button that nobody saw`() throws {
        let script = callback("TextOutputCallback", output("messageType", #""4""#), input: nil)
        let page = try page(script, callback("NameCallback"))
        #expect(page.validate(Answers(action: "TextOutputCallback-0")).map(\.code) == [.unknownAction])
        #expect(page.validate(Answers(action: "IDToken1")).isEmpty)
    }

    @Test func `is never repeated in a report`() throws {
        let page = try page(callback("NameCallback"))
        let problems = page.validate(Answers(["IDToken1": ["canary"]]))
        #expect(!"\(problems)".contains("canary"))
    }

    @Test(arguments: [("1", "1"), ("1.0", "1"), ("1e0", "1")])
    func `that is a choice is sent as a whole number`(answer: String, sent: String) throws {
        let page = try page(callback("ChoiceCallback", output("choices", #"["a","b"]"#)))
        let body = try page.body(answering: Answers(["IDToken1": try JSONValue(parsing: answer)]))
        #expect(body["callbacks"]?[0]?["input"]?[0]?["value"]?.text == sent)
    }

    @Test func `without validateOnly is one that goes on`() throws {
        let page = try page(
            #"{"type":"ValidatedCreatePasswordCallback","output":[],"input":[{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":true}]}"#
        )
        let inputs = try page.body(answering: Answers(["IDToken1": ["value": "x"]]))["callbacks"]?[0]?["input"]
        #expect(inputs?.text == #"[{"name":"IDToken1","value":"x"},{"name":"IDToken1validateOnly","value":false}]"#)
    }
}
