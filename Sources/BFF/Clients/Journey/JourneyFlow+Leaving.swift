internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// Why answers to a page that is left, or waits for a link, are not sent; nil for other pages, and for what was brought
    /// back.
    func refusal(of answers: PageAnswers) -> PageAnswerProblem? {
        let id: String?
        let message: String
        switch wait {
        case .departure:
            guard answers.returned == nil else { return nil }
            (id, message) = (journeyPage.redirect?.id, "the user has to leave and to come back")
        case .link: (id, message) = (journeyPage.suspension?.id, "the journey goes on by the link that was sent")
        case .answers, .poll:
            guard answers.returned != nil else { return nil }
            (id, message) = (nil, "nobody has left from this page")
        }
        return PageAnswerProblem(id: id ?? "", code: AnswerProblem.Code.notAnswerable.rawValue, message: message)
    }
}

extension FlowFailure {
    /// A page wants to send its user where nobody is sent.
    static func linkNotAllowed(_ host: String?) -> FlowFailure {
        FlowFailure(
            reason: .linkNotAllowed,
            check: host.map { "the address of a redirect, at \($0); see linkHosts" }
                ?? "the address of a redirect, which is not absolute")
    }
}
