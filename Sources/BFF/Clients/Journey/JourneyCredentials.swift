internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// The rules for credentials of browsers, at a page of a journey.
struct JourneyCredentials {
    private let rules: CredentialRules
    private let page: JourneyPage

    init(_ rules: CredentialRules, on page: JourneyPage) {
        self.rules = rules
        self.page = page
    }

    /// The relying parties that the page names and that no page of ours can stand for.
    var strangers: [String] {
        page.credentialQuestions().compactMap { Self.relyingParty($0.request) }
            .filter { !rules.accepts(relyingParty: $0) }
    }

    /// Whether the page has a challenge that no browser may see.
    var hidesChallenge: Bool {
        page.credentialQuestions().contains { hidesChallenge(of: $0.request) }
    }

    private func hidesChallenge(of request: WebAuthnRequest) -> Bool {
        request.challengeIsSession && !rules.showsSessions
    }

    /// What is wrong with credentials among the answers, besides what the page itself finds.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - found: What the page found, in page order, unknown ids last.
    /// - Returns: Both, in the same order.
    func problems(in answers: Answers, besides found: [PageAnswerProblem]) -> [PageAnswerProblem] {
        var own: [String: PageAnswerProblem] = [:]
        for question in page.credentialQuestions(answering: answers) {
            guard let answer = answers.values[question.id] else {
                if !question.mayStayOpen {
                    own[question.id] = PageAnswerProblem(
                        id: question.id, code: "required", message: "the question has no answer")
                }
                continue
            }
            if let credential = answer["credential"],
                let fault = rules.fault(of: credential, for: question.request.publicKey)
            {
                own[question.id] = PageAnswerProblem(
                    id: question.id, code: fault.rawValue, message: fault.message)
            }
        }
        for problem in found { own[problem.id] = nil }
        guard !own.isEmpty else { return found }
        let places = Dictionary(page.callbacks.map { ($0.id, $0.raw.index) }) { first, _ in first }
        let (known, unknown) = (found.filter { places[$0.id] != nil }, found.filter { places[$0.id] == nil })
        return (known + own.values).sorted { places[$0.id, default: 0] < places[$1.id, default: 0] } + unknown
    }

    /// The page as browsers see it: where no page of ours can have a credential, or may not see the challenge, only that there is
    /// none is left to say.
    func document(in languages: @autoclosure () -> [String]) -> JSONObject {
        var document = page.document(in: languages())
        let withheld = page.credentialQuestions()
            .filter { question in
                !rules.accepts(relyingParty: Self.relyingParty(question.request))
                    || hidesChallenge(of: question.request)
            }.map(\.id)
        guard !withheld.isEmpty, let callbacks = document["callbacks"]?.array else { return document }
        document["callbacks"] = .array(
            callbacks.map { callback in
                guard var question = callback.object, withheld.contains(where: { callback["id"] == .string($0) }) else {
                    return callback
                }
                question["publicKey"] = nil
                question["answer"] = .object(WebAuthnRequest.unsupportedSchema)
                return .object(question)
            })
        return document
    }

    private static func relyingParty(_ request: WebAuthnRequest) -> String? {
        (request.publicKey["rp"]?["id"] ?? request.publicKey["rpId"])?.string
    }
}
