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
