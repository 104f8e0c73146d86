import Basics
import JSON
import OpenIDConnect
import Testing

@testable import BFF

@Suite("What becomes of the outcome")
struct OutcomeDecisionTests {
    /// One row of the tables.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var goal: StepUpGoal?
        var isSignedIn = false
        /// The page that was answered, with the answers to it.
        var page: Page?
        var answers = PageAnswers()
        var isPoll = false
        var guessesLeft: Int? = 3
        let outcome: SignInOutcome
        let decided: Decided

        var testDescription: String { name }

        func decide() -> Decided {
            let context = OutcomeContext(
                goal: goal, account: "a", page: page, answers: answers, isPoll: isPoll,
                guessesLeft: page == nil ? nil : guessesLeft
            ) { isSignedIn }
            return Decided(context.decide(outcome, at: RecordSamples.now))
        }
    }

    /// A decision that can be compared.
    enum Decided: Equatable {
        case wait(String, Duration)
        case show(String, words: String? = nil, isGuess: Bool = false)
        case end(FlowEnd)
        case finish
        case retry(Duration, FlowFailure? = nil)

        init(_ decision: OutcomeDecision) {
            switch decision {
            case .wait(let opened, let pace): self = .wait((opened as? Page)?.name ?? "", pace)
            case .show(let opened, let refusal, let isGuess):
                self = .show((opened as? Page)?.name ?? "", words: refusal?.message, isGuess: isGuess)
            case .end(let end): self = .end(end)
            case .finish: self = .finish
            case .retry(let wait, let cause): self = .retry(wait, cause)
            }
        }
    }

    /// A flow at a page: equal names are equal pages, and equal first letters one wait.
    struct Page: OpenedFlow {
        let name: String
        var wait = PageWait.answers
        var secrets: [String] = []

        var position: FlowPosition { [] }
        var page: ShownPage { ShownPage(heading: [:], "callbacks", [], isSuspended: false) }
        var departures: [String: Departure] { [:] }
        func showsSame(as other: any OpenedFlow) -> Bool { (other as? Page)?.name == name }
        func waitsOn(at other: any OpenedFlow) -> Bool { (other as? Page)?.name.first == name.first }
        func leavesWait(_ answers: PageAnswers) -> Bool { false }
        func userNames(in answers: PageAnswers) -> [String] { answers.values["user"]?.string.map { [$0] } ?? [] }
        func judge(_ answers: PageAnswers) -> JudgedAnswers { .wrong([]) }
    }

    private static let login = Page(name: "Login", secrets: ["token-of-login"])
    private static let code = Page(name: "Code", secrets: ["token-of-code"])
    private static let wait = Page(name: "Wait", wait: .poll(question: "poll", pace: .seconds(8)))
    private static let typed = PageAnswers(values: ["user": "u", "password": "p"])
    private static let guessed = FlowEnd(
        answer: .tooManyRefusals, failure: FlowFailure(reason: .tooManyRefusals), guessed: ["u"])

    private static func returned(_ values: [String: String]) -> PageAnswers {
        var answers = PageAnswers()
        answers.returned = values
        return answers
    }

    private static func goal(route: String? = nil, transaction: Bool = false) -> StepUpGoal {
        StepUpGoal(
            purpose: "gold", requirement: transaction ? nil : "gold", issuer: "i", subject: "s", route: route,
            transaction: transaction ? HeldTransaction(id: "t", target: [1], advice: "{}") : nil)
    }

    private static func failure(
        _ reason: FailureReason, _ message: String? = nil, lacksTokensAlone: Bool = false, renewed: [UInt8]? = nil
    ) -> FlowFailure {
        var failure = FlowFailure(reason: reason, message: message)
        failure.lacksTokensAlone = lacksTokensAlone
        failure.renewedSession = renewed
        return failure
    }

    /// An end that the browser is told as a failure.
    private static func failed(
        _ failure: FlowFailure, says message: String? = nil, orphan: [UInt8]? = nil
    ) -> Decided {
        .end(
            FlowEnd(
                answer: .failure(reason: failure.reason.rawValue, message: message), failure: failure, orphan: orphan))
    }

    static let starts: [Row] = {
        let lost = failure(.providerRefused, lacksTokensAlone: true)
        let weak = failure(.tooWeak, renewed: [1])
        let transaction = goal(route: "pay", transaction: true)
        return [
            Row(name: "a page", outcome: .page(login), decided: .show("Login")),
            Row(name: "a page that waits", outcome: .page(wait), decided: .show("Wait")),
            Row(
                name: "answers refused at once", outcome: .refused(login, message: "No", details: []),
                decided: .show("Login", words: "No")),
            Row(
                name: "words with a secret of the page",
                outcome: .refused(login, message: "not token-of-login", details: []),
                decided: .show("Login", words: FlowSecrets.withheld)),
            Row(
                name: "an end without a session", outcome: .successWithoutSession,
                decided: .end(FlowEnd(answer: .success(nil)))),
            Row(
                name: "a sign-in",
                outcome: .success(SignIn(session: [1], tokens: RecordSamples.tokens, sessionIsNew: true)),
                decided: .finish),
            Row(name: "nothing taken", outcome: .notTaken(retryAfter: .seconds(3)), decided: .retry(.seconds(3))),
            Row(
                name: "nothing taken, for a cause", outcome: .notTaken(retryAfter: .seconds(3), cause: lost),
                decided: .retry(.seconds(3), lost)),
            Row(
                name: "a failure", isSignedIn: true,
                outcome: .failure(failure(.authenticationFailed, "No"), orphan: nil),
                decided: failed(failure(.authenticationFailed, "No"), says: "No")),
            Row(
                name: "a failure that leaves a session", outcome: .failure(lost, orphan: [2]),
                decided: failed(lost, orphan: [2])),
            Row(
                name: "too weak, and signed in", isSignedIn: true, outcome: .failure(weak, orphan: [2]),
                decided: .end(FlowEnd(answer: .stepUpRequired, failure: weak, orphan: [2]))),
            Row(name: "too weak, and nobody signed in", outcome: .failure(weak, orphan: nil), decided: failed(weak)),
            Row(
                name: "too weak at a step-up", goal: goal(), isSignedIn: true, outcome: .failure(weak, orphan: nil),
                decided: failed(weak)),
            Row(
                name: "a transaction without tokens", goal: transaction, isSignedIn: true,
                outcome: .failure(lost, orphan: [2]),
                decided: .end(
                    FlowEnd(
                        answer: .success(nil), failure: lost,
                        raised: transaction.raisedRoute(account: "a", client: nil, at: RecordSamples.now), orphan: [2]))
            ),
            Row(
                name: "a transaction that failed", goal: transaction,
                outcome: .failure(failure(.authenticationFailed), orphan: nil),
                decided: failed(failure(.authenticationFailed))),
            Row(
                name: "a transaction of no route without tokens", goal: goal(transaction: true),
                outcome: .failure(lost, orphan: nil), decided: failed(lost)),
            Row(
                name: "a step-up for a route without tokens", goal: goal(route: "pay"),
                outcome: .failure(lost, orphan: nil), decided: failed(lost)),
            Row(name: "no step-up, without tokens", outcome: .failure(lost, orphan: nil), decided: failed(lost)),
        ]
    }()

    static let steps: [Row] = [
        Row(name: "the next page", page: login, answers: typed, outcome: .page(code), decided: .show("Code")),
        Row(
            name: "the same page", page: login, answers: typed, outcome: .page(login),
            decided: .show("Login", isGuess: true)),
        Row(
            name: "the same page, the last time", page: login, answers: typed, guessesLeft: 1, outcome: .page(login),
            decided: .show("Login", isGuess: true)),
        Row(
            name: "the same page once too often", page: login, answers: typed, guessesLeft: 0, outcome: .page(login),
            decided: .end(guessed)),
        Row(
            name: "the next page after all guesses", page: login, answers: typed, guessesLeft: 0, outcome: .page(code),
            decided: .show("Code")),
        Row(
            name: "the same page for no answers", page: login, guessesLeft: 0, outcome: .page(login),
            decided: .show("Login")),
        Row(
            name: "the same page of a provider with a bound", page: login, answers: typed, guessesLeft: nil,
            outcome: .page(login), decided: .show("Login")),
        Row(
            name: "refused answers", page: login, answers: typed, outcome: .refused(login, message: "No", details: []),
            decided: .show("Login", words: "No", isGuess: true)),
        Row(
            name: "refused answers once too often", page: login, answers: typed, guessesLeft: 0,
            outcome: .refused(login, message: "No", details: []), decided: .end(guessed)),
        Row(
            name: "refused answers of a provider with a bound", page: login, answers: typed, guessesLeft: nil,
            outcome: .refused(login, message: "No", details: []), decided: .show("Login", words: "No")),
        Row(
            name: "a return without a sign-in after all guesses", page: login, answers: returned(["error": "x"]),
            guessesLeft: 0, outcome: .refused(login, message: "No", details: []), decided: .show("Login", words: "No")),
        Row(
            name: "words with a secret of the former page", page: login, answers: typed,
            outcome: .refused(code, message: "not token-of-login", details: []),
            decided: .show("Code", words: FlowSecrets.withheld, isGuess: true)),
        Row(
            name: "words with a secret of the next page", page: login, answers: typed,
            outcome: .refused(code, message: "not token-of-code", details: []),
            decided: .show("Code", words: FlowSecrets.withheld, isGuess: true)),
        Row(
            name: "a poll of a wait that goes on", page: wait, isPoll: true, outcome: .page(wait),
            decided: .wait("Wait", .seconds(8))),
        Row(
            name: "a poll of a wait that looks otherwise", page: wait, isPoll: true,
            outcome: .page(Page(name: "Wait/2", wait: .poll(question: "poll", pace: .seconds(1)))),
            decided: .wait("Wait/2", .seconds(1))),
        Row(
            name: "a poll that begins another wait", page: wait, isPoll: true,
            outcome: .page(Page(name: "Push", wait: .poll(question: "poll", pace: .seconds(1)))),
            decided: .show("Push")),
        Row(
            name: "a poll of a wait that is over", page: wait, isPoll: true, outcome: .page(Page(name: "Wanted")),
            decided: .show("Wanted")),
        Row(name: "the same wait, without a poll", page: wait, outcome: .page(wait), decided: .show("Wait")),
        Row(
            name: "a failure with a secret of its page", page: login, answers: typed,
            outcome: .failure(failure(.authenticationFailed, "token-of-login"), orphan: nil),
            decided: failed(failure(.authenticationFailed, "token-of-login"), says: FlowSecrets.withheld)),
        Row(
            name: "a failure with what another site has brought", page: login,
            answers: returned(["code": "a-secret-code"]),
            outcome: .failure(failure(.providerRefused, "not a-secret-code"), orphan: nil),
            decided: failed(failure(.providerRefused, "not a-secret-code"), says: FlowSecrets.withheld)),
        Row(
            name: "a failure with the error of another site", page: login,
            answers: returned(["error_description": "denied by them"]),
            outcome: .failure(failure(.providerRefused, "denied by them"), orphan: nil),
            decided: failed(failure(.providerRefused, "denied by them"), says: "denied by them")),
    ]

    @Test("of a start follows from it and what the flow was started for", arguments: starts)
    func start(row: Row) { #expect(row.decide() == row.decided) }

    @Test("of a step follows from it and the page that was answered", arguments: steps)
    func step(row: Row) { #expect(row.decide() == row.decided) }
}
