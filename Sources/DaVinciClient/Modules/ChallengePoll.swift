internal import Basics
internal import HTTPCore
internal import JSON
internal import Orchestrate

/// A poll of a page that waits for a challenge: asks for the challenge's status first, and tells the flow when it is
/// final.
struct ChallengePoll {
    /// The time limit for the status: of the default 125 seconds of a step, a node still has its 120 seconds.
    static let patience = Duration.seconds(5)

    private let poll: PollRequest
    private let address: WebURL
    /// The request that tells the flow the status; as built, it says that the challenge was not answered.
    private let request: Request
    private let body: JSONObject

    /// Nil for a request that is not such a poll.
    init?(_ page: DaVinciPage, _ request: Request) {
        guard let poll = page.poll, let address = page.challengeStatus,
            let body = (try? JSONValue(parsing: request.body))?.object,
            body["parameters"]?["eventType"] == .string(DaVinciInteraction.Event.polling.rawValue)
        else { return nil }
        self.poll = poll
        self.address = address
        self.request = request
        self.body = body
    }

    /// Asks for the status, and tells the flow when there is a final one.
    ///
    /// - Parameters:
    ///   - services: Sends the requests.
    ///   - soon: The deadline for the status.
    ///   - deadline: The deadline for the flow's answer.
    ///   - requestID: Names both requests in the log.
    ///   - keep: Receives an answer to the status request that is not returned, for its cookies.
    /// - Returns: The flow's answer; the answer to the status request while the status is not final, and when PingOne
    ///   is too busy. A status that did not come in time counts as an answer with 504, like a gateway's timeout.
    /// - Throws: Like `WorkflowServices.send` for the request to the flow.
    func send(
        by services: WorkflowServices, until soon: ContinuousClock.Instant, then deadline: ContinuousClock.Instant,
        requestID: String, keep: (Response) -> Void
    ) async throws -> Response {
        var question = request
        question.url = address
        question.removeHeader("interactionToken")
        question.body([:])
        var step = request
        let answer: Response
        do {
            answer = try await services.send(question, deadline: soon, requestID: requestID)
        } catch TransportError.cancelled {
            throw TransportError.cancelled
        } catch is TransportError {
            answer = Response(status: 504, request: question)
        }
        // rule: a provider that is busy is not told of a challenge
        if answer.status == 429 || answer.status == 503 { return answer }
        let status = Self.status(answer)
        if !status.isFinal, poll.retriesLeft > 1 { return answer }
        step.cookies.store(answer.fields, from: address, now: services.time.now())
        keep(answer)
        step.body(.object(body(with: status.word ?? poll.ownStatus)))
        return try await services.send(step, deadline: deadline, requestID: requestID)
    }

    /// Reads the state of a challenge from an answer, which is never a page.
    ///
    /// - Parameter response: The answer.
    /// - Returns: The status for the flow, nil while the challenge waits for its user. Not final while another request
    ///   makes sense: also after a 500, 502 or 504, so that a single fault of a gateway does not end the wait.
    private static func status(_ response: Response) -> (word: String?, isFinal: Bool) {
        let body = try? response.json()
        guard response.status == 200, let body else {
            if body?["serviceName"] == "challengeExpired" { return ("expired", true) }
            return ("error", ![500, 502, 504].contains(response.status))
        }
        // rule: a challenge that is not complete goes on
        guard body["isChallengeComplete"] == true else { return (nil, false) }
        return (body["status"]?.string.flatMap { $0.isEmpty ? nil : $0 } ?? "error", true)
    }

    /// The body of the step with another status under the poll's key.
    private func body(with status: String) -> JSONObject {
        guard var parameters = body["parameters"]?.object, var data = parameters["data"]?.object,
            var form = data["formData"]?.object
        else { return body }
        form[poll.key] = .string(status)
        data["formData"] = .object(form)
        parameters["data"] = .object(data)
        var changed = body
        changed["parameters"] = .object(parameters)
        return changed
    }
}

extension DaVinciPage {
    /// The address of the challenge's status, in the environment of the page; nil for a page without a challenge.
    var challengeStatus: WebURL? {
        guard let poll, poll.mode == .challenge,
            var url = [url(.own), url(.next)].lazy.compactMap(\.self).first(where: { Self.environment(of: $0) != nil }),
            let end = Self.environment(of: url)
        else { return nil }
        let id = PercentEncoding.encode(poll.challenge)
        url.path = end + "/davinci/user/credentials/challenge/\(id)/status"
        url.query = nil
        return url
    }

    /// The path of the environment in an address; nil for an address outside of a flow.
    private static func environment(of url: WebURL) -> String? {
        url.path.firstRange(ofText: "/davinci/").map { String(url.path[..<$0.lowerBound]) }
    }
}
