internal import BFF
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// The problem because of which answers are not sent; nil if they can be sent.
    ///
    /// A page that the user leaves takes only parameters that were brought back, a page that waits for a link takes
    /// nothing, and other pages take anything but parameters that were brought back.
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
            (id, message) = (nil, "the user has not left from this page")
        }
        return PageAnswerProblem(id: id ?? "", code: AnswerProblem.Code.notAnswerable.rawValue, message: message)
    }
}

extension FlowFailure {
    /// The failure of a page that would send its user to an address that the settings do not allow.
    static func linkNotAllowed(_ host: String?) -> FlowFailure {
        FlowFailure(
            reason: .linkNotAllowed,
            check: host.map { "the address of a redirect, at \($0); see linkHosts" }
                ?? "the address of a redirect, which is not absolute")
    }
}
