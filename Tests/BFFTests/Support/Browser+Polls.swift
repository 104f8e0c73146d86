import JSON
import TestSupport
import Testing

@testable import BFF

extension Browser {
    /// A poll of the node's step; another time to wait makes another body.
    static func poll(_ node: JSONValue, wait: Duration = .zero) throws -> NextRequest {
        let flow = try #require(node["flow"]?.string)
        let step = Int(try #require(node["step"]?.int))
        let body = "{\"flow\":\"\(flow)\",\"step\":\(step),\"action\":\"poll\",\"wait\":\"\(wait)\"}"
        var request = NextRequest(
            flow: flow, step: step, answers: PageAnswers(action: "poll"), identity: .answers(Array(body.utf8)))
        request.wait = wait
        return request
    }

    /// Answers the first page such that the next one waits.
    func startWait(_ fixture: Fixture, _ page: String = "Wait") async throws -> JSONValue {
        fixture.provider.script(.next, .page(page))
        return try await next(try Self.login(try await start { $0.forceAuth = true }))
    }

    @discardableResult
    func poll(_ node: JSONValue, wait: Duration = .zero, within patience: Duration = .seconds(60)) async throws
        -> JSONValue
    {
        try await next(try Self.poll(node, wait: wait), within: patience)
    }
}

extension Fixture {
    /// Waits until so many polls are held.
    func untilHeld(_ count: Int = 1) async {
        while backend.polls.count != count, !Task.isCancelled { await Task.yield() }
    }
}
