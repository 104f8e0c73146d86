internal import BFF
internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// The rules for WebAuthn credentials, at a page of a journey.
struct JourneyCredentials {
    private let rules: CredentialRules
    private let page: JourneyPage

    init(_ rules: CredentialRules, on page: JourneyPage) {
        self.rules = rules
        self.page = page
    }

    /// The relying parties that the page names and that no page of ours can stand for.
    var foreignRelyingParties: [String] {
        page.credentialQuestions().compactMap { CredentialRules.relyingParty($0.request.publicKey) }
            .filter { !rules.accepts(relyingParty: $0) }
    }

    /// True if the page has a challenge that no browser may see.
    var hidesChallenge: Bool {
        page.credentialQuestions().contains { hidesChallenge(of: $0.request) }
    }

    private func hidesChallenge(of request: WebAuthnRequest) -> Bool {
        request.challengeIsSession && !rules.showsSessions
    }

    /// Adds the problems with credentials among the answers to the problems that the page itself found.
    ///
    /// - Parameters:
    ///   - answers: The answers to the page.
    ///   - found: The problems that the page found, in page order, unknown ids last.
    /// - Returns: All problems, in the same order.
    func problems(in answers: Answers, besides found: [PageAnswerProblem]) -> [PageAnswerProblem] {
        let own = page.credentialQuestions(answering: answers).compactMap { question -> PageAnswerProblem? in
            guard let answer = answers.values[question.id] else {
                if question.mayStayOpen { return nil }
                return PageAnswerProblem(id: question.id, code: "required", message: "the question has no answer")
            }
            return answer["credential"].flatMap { rules.problem(with: $0, for: question.request.publicKey) }
                .map { PageAnswerProblem(id: question.id, $0) }
        }
        return found.adding(own, inOrderOf: page.callbacks.map(\.id))
    }

    /// The ids of the questions for credentials that no page of ours can have, or whose challenge no browser may see.
    var withheld: [String] {
        page.credentialQuestions()
            .filter { question in
                !rules.accepts(relyingParty: CredentialRules.relyingParty(question.request.publicKey))
                    || hidesChallenge(of: question.request)
            }.map(\.id)
    }
}
