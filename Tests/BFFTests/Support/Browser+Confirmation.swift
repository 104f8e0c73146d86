import Basics
import JSON
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// How a link signs in: at once, or after a page.
enum LinkEnd: CaseIterable, Sendable {
    case atOnce, afterPage
}

extension Browser {
    /// The question that the link of a user leads to.
    func asked(_ fixture: Fixture, _ user: String = "eve", _ way: LinkEnd = .atOnce) async throws -> SubjectQuestion {
        guard way == .afterPage else {
            fixture.provider.script(.start, .success(user))
            return try await question { try await open(link: Self.link(of: user)) }
        }
        fixture.provider.script(.start, .page("Again"))
        let page = try await open(link: Self.link(of: user))
        fixture.provider.script(.next, .success(user))
        return try await question { try await next(try Self.answer(page, ["code": "1"])) }
    }

    /// The id of a link for a user, of its letters and digits alone.
    private static func link(of user: String) -> String {
        "id-of-" + String(decoding: user.utf8.filter { $0.isWordByte }, as: UTF8.self)
    }

    /// The question that something leads to.
    func question(_ work: () async throws -> JSONValue) async throws -> SubjectQuestion {
        do {
            let answer = try await work()
            Issue.record("nothing is asked, but \(answer)")
            throw BFFError.cancelled
        } catch BFFError.confirmationNeeded(let question) {
            await backend.environment.work.background.settled()
            return question
        }
    }

    /// The body that confirms.
    static func confirmation(_ question: SubjectQuestion) -> NextRequest {
        let body: JSONValue = [
            "flow": .string(question.flow), "step": .number(JSONNumber(Int64(question.step))), "confirm": true,
        ]
        var answers = PageAnswers()
        answers.confirms = true
        return NextRequest(
            flow: question.flow, step: question.step, answers: answers, identity: .answers(body.serialized()))
    }

    @discardableResult
    func confirm(_ question: SubjectQuestion, _ instance: String = "standard") async throws -> JSONValue {
        try await next(Self.confirmation(question), instance)
    }

    func shown(_ question: SubjectQuestion) async throws -> JSONValue {
        try await flow(["flow": .string(question.flow)])
    }
}
