import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("A page that its program has filled")
struct FilledPageTests {
    private static let name = callback("NameCallback", [output("prompt", #""Name""#)], inputs: ["IDToken1"])
    private static let password = callback("PasswordCallback", [output("prompt", #""P""#)], inputs: ["IDToken2"])

    private func callbacks(_ list: String...) throws -> JSONObject {
        try #require(JSONValue(parsing: #"{"callbacks":[\#(list.joined(separator: ","))]}"#).object)
    }

    private func filled(_ callback: String, _ value: String) -> String {
        callback.replacing(#""value":""}]"#, with: #""value":\#(value)}]"#)
    }

    @Test func `has the answers of its inputs, and none for those that it left alone`() throws {
        let page = try page(Self.name, Self.password)
        let sent = try callbacks(filled(Self.name, #""demo""#), Self.password)
        #expect(try page.answers(filledIn: sent).values == ["IDToken1": "demo"])
        #expect(try page.answers(filledIn: callbacks(Self.name, Self.password)).values.isEmpty)
    }

    @Test func `is read by its inputs alone`() throws {
        let page = try page(Self.name, Self.password)
        let other = filled(Self.name, #""demo""#).replacing(#""Name""#, with: #""Other""#)
        let body = try page.body(answering: page.answers(filledIn: callbacks(other, Self.password)))
        #expect(body["callbacks"]?[0]?["output"]?[0]?["value"] == "Name")
        #expect(body["callbacks"]?[0]?["input"]?[0]?["value"] == "demo")
    }

    @Test func `with a value of another type has an answer that is refused`() throws {
        let page = try page(Self.name, Self.password)
        let answers = try page.answers(filledIn: callbacks(filled(Self.name, "[5]"), Self.password))
        #expect(page.validate(answers).map(\.code) == [.wrongType])
    }

    @Test func `with the callbacks of another page is refused`() throws {
        let page = try page(Self.name, Self.password)
        let others = [
            try callbacks(), [:], ["callbacks": "x"], try callbacks(Self.name),
            try callbacks(Self.password, Self.name), try callbacks(Self.name, Self.password, Self.name),
            try callbacks(Self.name, Self.password.replacing("IDToken2", with: "IDToken3")),
            try callbacks(Self.name, Self.password.replacing("PasswordCallback", with: "NameCallback")),
            try callbacks(Self.name, #"{"type":"PasswordCallback"}"#), try callbacks(Self.name, "5"),
        ]
        for other in others {
            #expect(throws: InvalidAnswersError.self, "\(other)") { try page.answers(filledIn: other) }
        }
    }

    @Test func `needs no value where none was shown`() throws {
        let page = try page(Self.name, filled(Self.password, #""old""#))
        let sent = try callbacks(Self.name, #"{"type":"PasswordCallback","input":[{"name":"IDToken2"}]}"#)
        #expect(try page.answers(filledIn: sent).values.isEmpty)
    }

    @Test(arguments: [
        #""""#, #""x""#, #""ERROR::""#, #""{}::1,2""#, #""{}::1,x::id""#, #""{}::300::id""#, "5",
        #""{\"legacyData\":5}""#,
    ])
    func `with an outcome of WebAuthn that is none has an answer that is refused`(outcome: String) throws {
        let wish = callback(
            "MetadataCallback",
            output("data", #"{"_action":"webauthn_registration","challenge":"AQID","userId":"dTE=","userName":"u"}"#),
            input: nil)
        let hidden = callback("HiddenValueCallback", [output("id", #""webAuthnOutcome""#)], inputs: ["IDToken2"])
        let page = try page(wish, hidden.replacing(#""value":""}]"#, with: #""value":"webAuthnOutcome"}]"#))
        let answers = try page.answers(filledIn: callbacks(wish, filled(hidden, outcome)))
        #expect(page.validate(answers).isEmpty == false, "\(answers.values)")
    }
}
