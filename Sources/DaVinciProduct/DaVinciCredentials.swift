internal import BFF
internal import DaVinciClient
internal import JSON
internal import Orchestrate

/// The rules for WebAuthn credentials, at a page of a DaVinci flow.
struct DaVinciCredentials {
    let rules: CredentialRules
    let page: DaVinciPage

    /// The questions for credentials that no page of ours can have; their options are not shown.
    private var foreign: [DaVinciPage.CredentialQuestion] {
        page.credentialQuestions.filter {
            !rules.accepts(relyingParty: CredentialRules.relyingParty($0.request.publicKey))
        }
    }

    /// The ids of the questions whose options are not shown.
    var withheld: [String] { foreign.map(\.id) }

    /// The relying parties of the questions whose options are not shown.
    var foreignRelyingParties: [String] { foreign.compactMap { CredentialRules.relyingParty($0.request.publicKey) } }

    /// Adds the problems with credentials among the answers to the problems that the page itself found.
    ///
    /// An answer has to contain `credential` or `error`, as browsers give it: a finished object, which a program may
    /// give, could contain a credential that was made anywhere.
    ///
    /// - Parameters:
    ///   - answers: The answers to the page.
    ///   - found: The problems that the page found, in page order, unknown ids last.
    /// - Returns: All problems, in the same order.
    func problems(in answers: PageAnswers, besides found: [PageAnswerProblem]) -> [PageAnswerProblem] {
        let own = page.credentialQuestions.compactMap { question -> PageAnswerProblem? in
            guard let answer = answers.values[question.id] else { return nil }
            let problem: CredentialProblem?
            if let credential = answer["credential"] {
                problem = rules.problem(with: credential, for: question.request.publicKey)
            } else {
                problem = answer["error"] == nil ? .wrongType : nil
            }
            return problem.map { PageAnswerProblem(id: question.id, $0) }
        }
        return found.adding(own, inOrderOf: page.collectors.map(\.id))
    }
}
