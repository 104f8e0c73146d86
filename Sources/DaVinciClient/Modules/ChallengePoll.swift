internal import Basics
internal import HTTPCore
internal import JSON
internal import Orchestrate

/// A poll of a page that waits for a challenge: its status is asked first, and the flow is told once there is one.
struct ChallengePoll {
    /// How long the status may take: with the time of a step, 125 seconds unless set, a node still has the 120 that it may take.
    static let patience = Duration.seconds(5)

    private let poll: PollRequest
    private let address: WebURL
    /// What tells the flow the status; nobody has answered the challenge, as it stands.
    private let request: Request
    private let body: JSONObject

    /// Nil for a request that is no such poll.
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

    /// Asks for the status, and tells the flow where there is one.
    ///
    /// - Parameters:
    ///   - services: Sends the requests.
    ///   - soon: Until when the status may come.
    ///   - deadline: Until when the flow may answer.
    ///   - requestID: Names both calls in the log.
    ///   - keep: Is given an answer of the status that is not returned, for its cookies.
    /// - Returns: The answer of the flow; that of the status while there is none, and when PingOne is too busy to say. A
    ///   status that did not come in time has the answer of a gateway that waited for it, 504.
    /// - Throws: As `WorkflowServices.send` for the request to the flow.
    func send(
        by services: WorkflowServices, until soon: ContinuousClock.Instant, then deadline: ContinuousClock.Instant,
        requestID: String, keep: (Response) -> Void
    ) async throws -> Response {
        var question = request
        question.url = address
        question.removeHeader("interactionToken")
        question.body([:])
        var told = request
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
        told.cookies.store(answer.fields, from: address, now: services.time.now())
        keep(answer)
        told.body(.object(telling(status.word ?? poll.ownStatus)))
        return try await services.send(told, deadline: deadline, requestID: requestID)
    }

    /// Reads the state of a challenge from an answer, which is never a page.
    ///
    /// - Parameter response: The answer.
    /// - Returns: The word that tells the flow about it, nil for a challenge that waits for its user; not final while the
    ///   status is worth asking for again: after a 500, 502 or 504 too, so that one fault of a gateway ends no wait.
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

    /// The step with another status under the key of the poll.
    private func telling(_ status: String) -> JSONObject {
        guard var parameters = body["parameters"]?.object, var data = parameters["data"]?.object,
            var form = data["formData"]?.object
        else { return body }
        form[poll.key] = .string(status)
        data["formData"] = .object(form)
        parameters["data"] = .object(data)
        var told = body
        told["parameters"] = .object(parameters)
        return told
    }
}

extension DaVinciPage {
    /// Where the status of the challenge is asked: in the environment that the page is of; nil for a page without one.
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

    /// The path of the environment that an address is of; nil for an address of no flow.
    private static func environment(of url: WebURL) -> String? {
        url.path.firstRange(ofText: "/davinci/").map { String(url.path[..<$0.lowerBound]) }
    }
}
