import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("An answer")
struct AnswerTests {
    @Test func `to no question of the page is reported, all of them at once`() throws {
        let script = callback("TextOutputCallback", output("messageType", #""4""#), input: nil)
        let page = try page(callback("NameCallback"), script)
        let problems = page.validate(
            Answers(["IDToken1": 5, "IDToken9": "x", "TextOutputCallback-1": "x", "": "y"], action: "nothing"))
        #expect(problems.map(\.id) == ["IDToken1", "TextOutputCallback-1", "", "IDToken9", "nothing"])
        #expect(
            problems.map(\.code) == [.wrongType, .unknownQuestion, .unknownQuestion, .unknownQuestion, .unknownAction])
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
}
