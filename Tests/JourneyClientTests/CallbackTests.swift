import JSON
import JourneyClient
import Orchestrate
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

private func document(_ callback: String) throws -> String {
    try #require(try page(callback).questions.first).document.text
}

@Suite("A question as the browser sees it")
struct QuestionTests {
    @Test(arguments: [
        (
            callback("NameCallback", output("prompt", #""User Name""#), input: #""demo""#),
            #"{"id":"IDToken1","type":"NameCallback","prompt":"User Name","value":"demo","answer":{"type":"string"}}"#
        ),
        (
            callback("PasswordCallback", output("prompt", #""Password""#), input: #""s3cret""#),
            #"{"id":"IDToken1","type":"PasswordCallback","prompt":"Password","answer":{"type":"string","writeOnly":true}}"#
        ),
        (
            callback("TextInputCallback", output("prompt", #""P""#) + "," + output("defaultText", #""D""#)),
            #"{"id":"IDToken1","type":"TextInputCallback","prompt":"P","defaultText":"D","value":"D","answer":{"type":"string"}}"#
        ),
        (
            callback("TextInputCallback", output("prompt", "null")),
            #"{"id":"IDToken1","type":"TextInputCallback","prompt":"","defaultText":"","value":"","answer":{"type":"string"}}"#
        ),
        (
            callback(
                "ChoiceCallback",
                output("choices", #"["red","green"]"#) + "," + output("defaultChoice", "1")),
            #"{"id":"IDToken1","type":"ChoiceCallback","prompt":"","choices":["red","green"],"defaultChoice":1,"value":1,"answer":{"type":"integer","minimum":0,"maximum":1}}"#
        ),
        (
            callback(
                "ChoiceCallback", output("choices", #"["a","b"]"#) + "," + output("defaultChoice", "9"), input: "0"),
            #"{"id":"IDToken1","type":"ChoiceCallback","prompt":"","choices":["a","b"],"defaultChoice":0,"value":0,"answer":{"type":"integer","minimum":0,"maximum":1}}"#
        ),
        (
            callback(
                "ConfirmationCallback",
                [output("options", #"["Exit"]"#), output("optionType", "-1"), output("defaultOption", "0")]
                    .joined(separator: ","), input: "100"),
            #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["Exit"],"optionType":-1,"defaultOption":0,"answer":{"type":"integer","enum":[0]}}"#
        ),
        (
            callback("ConfirmationCallback", output("optionType", "1") + "," + output("defaultOption", "5")),
            #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["Yes","No","Cancel"],"optionType":1,"answer":{"type":"integer","enum":[0,1,2]}}"#
        ),
        (
            callback("ConfirmationCallback", output("optionType", "2") + "," + output("defaultOption", "2")),
            #"{"id":"IDToken1","type":"ConfirmationCallback","prompt":"","messageType":0,"options":["OK","Cancel"],"optionType":2,"optionValues":[3,2],"defaultOption":2,"answer":{"type":"integer","enum":[3,2]}}"#
        ),
        (
            callback(
                "TextOutputCallback", output("message", #""Hi""#) + "," + output("messageType", #""1""#), input: nil),
            #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"Hi","messageType":1}"#
        ),
        (
            callback("TextOutputCallback", output("message", #""Hi""#) + "," + output("messageType", "77"), input: nil),
            #"{"id":"TextOutputCallback-0","type":"TextOutputCallback","message":"Hi","messageType":-1}"#
        ),
        (
            callback(
                "HiddenValueCallback", output("value", #""v""#) + "," + output("id", #""corr""#), input: #""corr""#),
            #"{"id":"IDToken1","type":"HiddenValueCallback","hiddenId":"corr","value":"v","answer":{"type":"string"}}"#
        ),
        (
            callback("UnheardOfCallback", output("a", "1.50"), input: "null"),
            #"{"id":"IDToken1","type":"UnheardOfCallback","outputs":{"a":1.50},"raw":{"type":"UnheardOfCallback","output":[{"name":"a","value":1.50}],"input":[{"name":"IDToken1","value":null}]}}"#
        ),
    ])
    func `shows what a renderer needs and the schema of its answer`(callback: String, expected: String) throws {
        #expect(try document(callback) == expected)
    }

    @Test func `shows policies in all their forms and what was not met`() throws {
        let failed =
            #"["{ \"params\": { \"minLength\": 3 }, \"policyRequirement\": \"MIN_LENGTH\" }",{"policyRequirement":"UNIQUE"},"odd",7]"#
        for policies in ["[]", "{}", #"[{"policyId":"unique"}]"#, #"{"policies":[{"policyId":"a"}]}"#] {
            let text = try document(
                #"{"type":"ValidatedCreateUsernameCallback","output":[{"name":"policies","value":\#(policies)},{"name":"failedPolicies","value":\#(failed)},{"name":"prompt","value":"Username"}],"input":[{"name":"IDToken1","value":"an"},{"name":"IDToken1validateOnly","value":false}]}"#
            )
            #expect(
                text
                    == #"{"id":"IDToken1","type":"ValidatedCreateUsernameCallback","prompt":"Username","policies":\#(policies),"failedPolicies":[{"policyRequirement":"MIN_LENGTH","params":{"minLength":3}},{"policyRequirement":"UNIQUE"},{"policyRequirement":"odd"},{"policyRequirement":"UNKNOWN"}],"validateOnly":false,"value":"an","answer":{"type":"object","properties":{"value":{"type":"string"},"validateOnly":{"type":"boolean"}},"required":["value"],"additionalProperties":false}}"#
            )
        }
    }

    @Test func `takes the bare value where an older server has no validateOnly input`() throws {
        let question = try #require(try page(callback("ValidatedCreateUsernameCallback")).questions.first)
        #expect(question.answer?.text == #"{"type":"string"}"#)
    }

    @Test func `never shows a password that came with the page`() throws {
        for type in ["PasswordCallback", "ValidatedCreatePasswordCallback"] {
            #expect(!(try document(callback(type, input: #""canary""#))).contains("canary"))
        }
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
}

@Suite("A page")
struct PageTests {
    @Test func `shows stage, header and description when it has them`() throws {
        let full = try JourneyPage(
            try JSONValue(parsing: #"{"authId":"a","callbacks":[],"stage":"S","header":"H","description":""}"#))
        #expect(full.document.text == #"{"stage":"S","header":"H","description":"","callbacks":[]}"#)
        let bare = try JourneyPage(try JSONValue(parsing: #"{"authId":"a","callbacks":[],"stage":5,"header":null}"#))
        #expect(bare.document.text == #"{"callbacks":[]}"#)
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
        #expect(!found.document.text.contains("canary"))
        let body = try found.body(answering: Answers(["IDToken2": "x"]))
        #expect(body["callbacks"]?[0]?["output"]?[0]?["value"] == "canary()")
    }

    @Test(arguments: ["[]", "5", "null", #"{"callbacks":{}}"#])
    func `that is none is refused`(json: String) {
        #expect(throws: JourneyPage.Malformed.self) { try JourneyPage(Array(json.utf8)) }
    }

    @Test func `goes back member for member and number for number, only answered inputs changed`() throws {
        let text = #"""
            {"z":[1.0,1e3,-0],"authId":"a","callbacks":[{"_id":0,"input":[{"value":"","name":"IDToken1","x":1.10},{"name":"IDToken1validateOnly","value":false}],"type":"ValidatedCreateUsernameCallback","output":[]},{"type":"Odd","input":[{"name":"IDToken2","value":3.0}]}],"stage":null,"own":{"b":1,"a":2}}
            """#
        let page = try JourneyPage(Array(text.utf8))
        #expect(try page.body(answering: Answers()).text == text)
        let answered = try page.body(answering: Answers(["IDToken1": ["value": "ann", "validateOnly": true]])).text
        #expect(
            answered
                == text.replacing(#""value":"","name":"IDToken1""#, with: #""value":"ann","name":"IDToken1""#)
                .replacing("validateOnly\",\"value\":false", with: "validateOnly\",\"value\":true"))
    }

    @Test func `adds a value to an input that came without one`() throws {
        let page = try JourneyPage(
            Array(#"{"authId":"a","callbacks":[{"type":"NameCallback","input":[{"name":"IDToken1"}]}]}"#.utf8))
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
            func fault(in answer: JSONValue) -> AnswerFault? { nil }
            func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
        }
        let catalogue = CallbackCatalogue.standard.adding([Shout.self])
        let page = try JourneyPage(
            Array(#"{"authId":"a","callbacks":[\#(callback("ShoutCallback"))]}"#.utf8), catalogue: catalogue)
        #expect(page.questions[0].members["loud"] == true)
        #expect(catalogue.wireTypes.count == CallbackCatalogue.standard.wireTypes.count + 1)
    }
}
