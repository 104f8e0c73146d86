import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A NameCallback")
struct NameCallbackTests {
    @Test func `shows label and value`() throws {
        let text = try shown(callback("NameCallback", output("prompt", #""User Name""#), input: #""demo""#))
        #expect(
            text
                == #"{"id":"IDToken1","type":"NameCallback","prompt":"User Name","value":"demo","answer":{"type":"string","title":"User Name","default":"demo","maxLength":8192,"autocomplete":"username"}}"#
        )
    }

    @Test func `is the user's where a form has several, and a code where the stage says so`() throws {
        let form = try page(
            callback("ChoiceCallback"), callback("NameCallback").replacing("IDToken1", with: "IDToken2"),
            callback("NameCallback").replacing("IDToken1", with: "IDToken3"))
        #expect(form.questions.map { $0.answer?["autocomplete"] } == [nil, "username", nil])
        let code = try JourneyPage(
            JSONValue(
                parsing: #"{"authId":"a","stage":"AuthenticatorOATH7","callbacks":[\#(callback("NameCallback"))]}"#))
        #expect(code.questions[0].answer?["autocomplete"] == "one-time-code")
    }

    @Test func `takes a text that is not too long`() throws {
        let callback = callback("NameCallback")
        for answer: JSONValue in [5, nil, ["a"]] { #expect(try faults(callback, answer) == [.wrongType]) }
        #expect(try faults(callback, longText) == [.tooLong])
        #expect(try faults(callback, "demo") == [])
    }
}
