internal import JSON
internal import JourneyClient
internal import Orchestrate

extension JourneyFlow {
    /// What a page waits for besides answers, when it sends its user away or waits for a link; nil for other pages.
    static func leaving(_ page: JourneyPage) -> PageWait? {
        if let redirect = page.redirect {
            let form = redirect.fields.map { Departure.Field(name: $0.name, value: $0.value) }
            return .departure(
                Departure(
                    address: redirect.action, form: redirect.isPost ? form : nil, state: redirect.state))
        }
        return page.suspension == nil ? nil : .link
    }

    /// Says in the document of a page how its user leaves, or that it waits for a link.
    static func addLeaving(to document: inout JSONObject, _ page: JourneyPage, _ moment: PageMoment) {
        if page.suspension != nil { document["suspended"] = true }
        guard let go = moment.go[""], let id = page.redirect?.id else { return }
        document["callbacks"] = .array(
            (document["callbacks"]?.array ?? []).map { callback in
                guard callback["id"]?.string == id, var members = callback.object else { return callback }
                members["go"] = .string(go)
                return .object(members)
            })
    }

    /// Why answers to a page that is left, or waits for a link, are not sent; nil for other pages, and for what was brought
    /// back.
    static func refusal(of answers: PageAnswers, to page: JourneyPage) -> PageAnswerProblem? {
        switch leaving(page) {
        case .departure where answers.returned != nil: return nil
        case .departure:
            return PageAnswerProblem(
                id: page.redirect?.id ?? "", code: AnswerProblem.Code.notAnswerable.rawValue,
                message: "the user has to leave and to come back")
        case .link:
            return PageAnswerProblem(
                id: page.suspension?.id ?? "", code: AnswerProblem.Code.notAnswerable.rawValue,
                message: "the journey goes on by the link that was sent")
        default:
            guard answers.returned != nil else { return nil }
            return PageAnswerProblem(
                id: "", code: AnswerProblem.Code.notAnswerable.rawValue, message: "nobody has left from this page")
        }
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
