internal import Basics
internal import HTTPCore
internal import JSON
public import Orchestrate

extension DaVinciModules {
    /// Makes nodes from PingOne's answers, and requests from the answers to a page.
    public static let transform = Module.of(name: "davinci transform") { setup in
        let settings = try DaVinciModuleSettings.of(setup)
        let services = setup.services
        let forms = KnownPages<DaVinciForm>()

        setup.restore { step in
            guard let object = step.object else {
                throw EngineError.configuration("the stored page is not a page of DaVinci")
            }
            return DaVinciPage(object, known: forms, sentTo: nil).node
        }
        setup.answer { node, answers in
            let page = DaVinciPage(node)
            guard !answers.returned.pairs.isEmpty else {
                return try page.request(answering: answers, deviceValue: settings.deviceValue)
            }
            // rule: other providers bring back what they may alone
            try checkReturn(answers.returned)
            guard let token = answers.returned.single("continueToken"), let url = page.url(.resume) else {
                throw ReturnError.parameters
            }
            var request = Request(url)
            request.body([:])
            request.setHeader(name: "Authorization", value: "Bearer " + token)
            return request
        }
        setup.transport { context, request in
            let isNext = context.page != nil
            let soon = ContinuousClock.now + settings.timeout
            guard let page = context.page.map({ DaVinciPage($0) }), let poll = ChallengePoll(page, request) else {
                return try await services.send(
                    request, deadline: isNext ? context.caller.deadline : min(soon, context.caller.deadline),
                    requestID: context.caller.requestID)
            }
            return try await poll.send(
                by: services, until: min(soon, ContinuousClock.now + ChallengePoll.patience, context.caller.deadline),
                then: context.caller.deadline,
                requestID: context.caller.requestID
            ) { settings.keepCookies(of: $0, in: &context.flow, now: services.time.now()) }
        }
        // rule: a node that has had enough of its user is no busy provider
        setup.refusal { PausingCalls.isOfFlow($0.body) }
        setup.transform { context, response in
            let page = context.page.map { DaVinciPage($0) }
            // rule: the status of a challenge is no page
            if let page, let asked = response.request.url, page.challengeStatus == asked {
                return .continue(page.polledOnce.node)
            }
            let node = try DaVinciAnswer(response, to: page, forms, of: context.flow.name(context.caller)).node()
            // rule: a page with a link elsewhere is not shown
            if case .continue(let shown) = node { try settings.checkLinks(of: DaVinciPage(shown), in: context.flow) }
            return node
        }
    }

    /// Refuses parameters that another identity provider may not return: allows a token or an error, each name once.
    static func checkReturn(_ returned: QueryParameters) throws(ReturnError) {
        guard returned.pairs.allSatisfy({ DaVinci.returnNames.contains($0.name) && $0.value.utf8.count <= 8192 }),
            // rule: nothing comes back twice
            returned.firstRepeatedName == nil,
            (returned.single("continueToken")?.isEmpty ?? true) == (returned.single("error") != nil),
            // rule: a token that comes back fits into a header field
            CookieHeader.isValue(returned.single("continueToken") ?? "")
        else { throw .parameters }
    }
}
