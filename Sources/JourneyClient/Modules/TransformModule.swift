internal import Basics
internal import HTTPCore
internal import JSON
public import Orchestrate

extension JourneyModules {
    /// Makes nodes of AM's answers, and requests of the answers to a page.
    public static let transform = Module.of(name: "journey transform") { setup in
        let settings = try JourneySettings.of(setup)
        let time = setup.services.time

        setup.transform { _, response in
            try node(response, settings.catalogue, time.now())
        }
        setup.restore { _, step in
            do { return try page(step, settings.catalogue) } catch {
                throw EngineFailure.configuration("the stored page is not a step of a journey")
            }
        }
        setup.answer { _, node, answers in
            let page = try JourneyPage(node.input, catalogue: settings.catalogue)
            try checkReturn(answers.returned, to: page)
            var request = Request(settings.authenticate)
            request.body(.object(try page.body(answering: answers)))
            request.header(name: "Accept-API-Version", value: JourneySettings.authenticateVersion)
            for pair in answers.returned.pairs { request.parameter(name: pair.name, value: pair.value) }
            return request
        }
    }

    /// The node of an answer (journey.md 4): the status first, then `authId`.
    static func node(
        _ response: Response, _ catalogue: CallbackCatalogue, _ now: Timestamp
    ) throws(EngineFailure) -> Node {
        switch response.status {
        case 200: return try stepOrSuccess(response, catalogue, now)
        case 300..<400:
            throw .unexpectedRedirect(
                status: response.status, location: response.header("Location").map { Secret($0) })
        case 400..<500: return .error(try refusal(response))
        default: throw .unexpectedStatus(response.status, excerpt: response.excerpt)
        }
    }

    private static func stepOrSuccess(
        _ response: Response, _ catalogue: CallbackCatalogue, _ now: Timestamp
    ) throws(EngineFailure) -> Node {
        let body = try response.json()
        guard let key = body["authId"], !key.isNull else {
            let token = body["tokenId"]?.string ?? ""
            // It goes on as the value of a header field, as it is or not at all.
            let space = UInt8(ascii: " ")
            guard token.utf8.allSatisfy({ 0x20...0x7E ~= $0 }), token.utf8.first != space, token.utf8.last != space
            else {
                throw .malformed(status: response.status, excerpt: response.excerpt)
            }
            let session = SSOSession(
                value: Secret(token), successURL: bounded(body["successUrl"]?.string),
                realm: bounded(body["realm"]?.string), created: now)
            return .success(SuccessNode(input: .object(body), session: session))
        }
        do { return .continue(try page(.object(body), catalogue)) } catch {
            throw .malformed(status: response.status, excerpt: response.excerpt)
        }
    }

    /// What is shown and stored with the session; longer than an address may be it is left out.
    private static func bounded(_ text: String?) -> String {
        guard let text, text.utf8.count <= 4096 else { return "" }
        return text
    }

    private static func refusal(_ response: Response) throws(EngineFailure) -> ErrorNode {
        guard let body = try? response.json() else {
            throw .unexpectedStatus(response.status, excerpt: response.excerpt)
        }
        if body["code"]?.int == 1999 || ["1999", "requestTimedOut"].contains(body["code"]?.string) {
            throw .noUsableAnswer(.timeout)
        }
        return ErrorNode(
            status: response.status, input: .object(body), message: body["message"]?.string ?? "")
    }

    private static func page(
        _ step: JSONValue, _ catalogue: CallbackCatalogue
    ) throws(JourneyPage.Malformed) -> ContinueNode {
        ContinueNode(input: step, actions: try JourneyPage(step, catalogue: catalogue).callbacks)
    }

    /// Lets through only what other sites may bring back, and only to the page that sent the browser away.
    private static func checkReturn(_ returned: QueryParameters, to page: JourneyPage) throws {
        if returned.pairs.isEmpty { return }
        let allowed: Set = [
            "code", "state", "form_post_entry", "responsekey", "RelayState", "error", "errorCode", "errorMessage",
            "nonce", "scope", "suspendedId",
        ]
        guard returned.pairs.allSatisfy({ allowed.contains($0.name) }), returned.firstRepeatedName == nil else {
            throw ReturnRefused.parameters
        }
        for callback in page.callbacks where callback.type == "RedirectCallback" {
            let query = callback.raw.text("redirectUrl").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
            guard let expected = QueryParameters(parsing: query)?.single("state") else { continue }
            guard returned.single("state") == expected else { throw ReturnRefused.state }
        }
    }
}

/// Why what came back from another site is not sent on.
public enum ReturnRefused: Error, Sendable, Equatable {
    /// A parameter is unknown or repeated.
    case parameters
    /// `state` is not the one that the page sent the browser away with.
    case state
}
