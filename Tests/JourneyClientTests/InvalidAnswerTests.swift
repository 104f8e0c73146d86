import JSON
import JourneyClient
import Orchestrate
import Testing

@Suite("Answers that do not fit their page")
struct InvalidAnswerTests {
    @Test func `stop the step before anything is sent and leave the flow where it was`() async throws {
        let am = try ScriptedAM()
        am.steps(loginPage)
        let bound = try am.journey().bound(to: Desk().caller())
        let first = try await bound.start("Login")
        let step = try await bound.next(first.flow, Answers(["IDToken1": 5, "IDToken7": "x"]))
        guard case .moduleFailed(.request, let error)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        #expect((error as? InvalidAnswersError)?.problems.map(\.code) == [.wrongType, .unknownQuestion])
        #expect(step.flow == first.flow)
        #expect(am.sent(ScriptedAM.authenticate).count == 1)
    }

    @Test func `are found all at once, also several inside one answer`() throws {
        let page = try page(
            callback("KbaCreateCallback", [], inputs: ["IDToken1question", "IDToken1answer"]),
            callback("NameCallback").replacing("IDToken1", with: "IDToken2"),
            callback("PingOneProtectEvaluationCallback", [], inputs: ["IDToken3signals", "IDToken3clientError"]))
        let problems = page.validate(
            Answers([
                "IDToken1question": ["answer": 5, "other": "s3cret"], "IDToken2": 7,
                "IDToken3signals": ["signals": false, "clientError": 1],
            ]))
        #expect(
            problems.map(\.id) == [
                "IDToken1question", "IDToken1question", "IDToken1question", "IDToken2", "IDToken3signals",
                "IDToken3signals",
            ])
        #expect(
            problems.map(\.code) == [
                .wrongType, .required, .wrongType, .wrongType, .wrongType, .wrongType,
            ])
        #expect(problems.allSatisfy { !$0.message.contains("s3cret") })
    }

    @Test func `are found by the described page as well`() async throws {
        let am = try ScriptedAM()
        am.steps(loginPage)
        let journey = try am.journey()
        let first = try await journey.bound(to: Desk().caller()).start("Login")
        let page = JourneyPage(try journey.workflow.open(first.flow).page)
        #expect(page.validate(Answers(["IDToken1": "demo", "IDToken2": "x"])).isEmpty)
        #expect(page.validate(Answers(["IDToken3": "demo"])).map(\.code) == [.unknownQuestion])
    }
}
