internal import BFF
internal import Basics

extension BrowserAPI {
    /// `POST {instance}/start`.
    func startFlow(_ call: Call) async throws(Problem) -> Answer {
        let start = try StartRequest(try await members(call))
        return try await answering { () throws(BFFError) in
            try await backend.start(call.instance, start, call.context(languages: true))
        }
    }

    /// `POST {instance}/next`.
    func answerStep(_ call: Call) async throws(Problem) -> Answer {
        _ = try RequestQuery(call.request)
        var body = try await BodyReader.read(call.request, upTo: settings.answerLimit, isOptional: false)
        // It holds passwords. By then nobody else holds these bytes, unless the caller went away while a step was under
        // way.
        defer { cleanse(&body) }
        return try await answerStep(call, body)
    }

    private func answerStep(_ call: Call, _ body: [UInt8]) async throws(Problem) -> Answer {
        let next = try NextRequest(try BodyReader.members(body), body)
        try rates.checkFlow(next.flow, call.cookie)
        return try await answering { () throws(BFFError) in
            try await backend.next(call.instance, next, call.context(languages: true))
        }
    }

    /// `GET {instance}/flows/{flow}`.
    func getFlow(_ call: Call) async throws(Problem) -> Answer {
        _ = try RequestQuery(call.request)
        return try await answering { () throws(BFFError) in
            try await backend.flow(call.instance, call.flow, call.context())
        }
    }

    /// `DELETE {instance}/flows/{flow}`.
    func cancelFlow(_ call: Call) async throws(Problem) -> Answer {
        _ = try RequestQuery(call.request)
        return try await answering { () throws(BFFError) in
            try await backend.cancelFlow(call.instance, call.flow, call.context())
        }
    }

    /// The members of a small body, which may be missing.
    func members(_ call: Call) async throws(Problem) -> BodyMembers {
        _ = try RequestQuery(call.request)
        return try BodyReader.members(
            try await BodyReader.read(call.request, upTo: settings.bodyLimit, isOptional: true))
    }
}
