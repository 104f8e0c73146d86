internal import DaVinciClient
internal import JSON
internal import Orchestrate

/// The rules for credentials of browsers, at a page of a DaVinci flow.
struct DaVinciCredentials {
    let rules: CredentialRules
    let page: DaVinciPage

    private static func relyingParty(_ question: DaVinciPage.CredentialQuestion) -> String? {
        (question.request.publicKey["rp"]?["id"] ?? question.request.publicKey["rpId"])?.string
    }

    /// The questions for credentials that no page of ours can have; what they ask for is not shown.
    private var strange: [DaVinciPage.CredentialQuestion] {
        page.credentialQuestions.filter { !rules.accepts(relyingParty: Self.relyingParty($0)) }
    }

    /// The ids of those questions.
    var withheld: [String] { strange.map(\.id) }

    /// The relying parties that those questions name.
    var strangers: [String] { strange.compactMap { Self.relyingParty($0) } }

    /// What is wrong with credentials among the answers, besides what the page itself finds.
    ///
    /// A finished object, which a program may give, could be a credential that was made anywhere: browsers give what they have.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - found: What the page found, in page order, unknown ids last.
    /// - Returns: Both, in the same order.
    func problems(in answers: PageAnswers, besides found: [PageAnswerProblem]) -> [PageAnswerProblem] {
        let faulty = Set(found.map(\.id))
        let own = page.credentialQuestions.compactMap { question -> PageAnswerProblem? in
            guard let answer = answers.values[question.id], !faulty.contains(question.id) else {
                return nil
            }
            let fault: CredentialFault?
            if let credential = answer["credential"] {
                fault = rules.fault(of: credential, for: question.request.publicKey)
            } else {
                fault = answer["error"] == nil ? .wrongType : nil
            }
            return fault.map { PageAnswerProblem(id: question.id, code: $0.rawValue, message: $0.message) }
        }
        guard !own.isEmpty else { return found }
        let order = Dictionary(page.collectors.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        return (found + own).enumerated().sorted { left, right in
            (order[left.element.id] ?? .max, left.offset) < (order[right.element.id] ?? .max, right.offset)
        }.map(\.element)
    }
}
