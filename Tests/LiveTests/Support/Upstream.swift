import Basics
import HTTPCore
import HTTPServer
import Logs
import Testing

/// The API behind the server: keeps the tokens that it gets, and answers as a test says.
final class Upstream: Sendable {
    /// One call that arrived.
    struct Seen: Sendable {
        let method: HTTPMethod
        let target: String
        let token: String?
    }

    private let listener: Listener
    private let seen: Locked<[Seen]>

    private init(_ answer: @escaping @Sendable (Seen) async -> ServerResponse) throws {
        let seen = Locked<[Seen]>([])
        self.seen = seen
        listener = try Listener(
            ListenerSettings(), logger: .silent, refusal: { status, _ in ServerResponse(status: status) }
        ) { request in
            let token = request.headers.values("authorization").first.map { String($0.dropFirst(7)) }
            if let token { LiveSecrets.add(token) }
            let call = Seen(method: request.method, target: request.target, token: token)
            seen.withLock { $0.append(call) }
            return await answer(call)
        }
        try listener.start()
    }

    /// Runs a body with an API that always ends.
    static func run(
        answer: @escaping @Sendable (Seen) async -> ServerResponse = { _ in
            ServerResponse(
                status: 200, headers: [ResponseHeader("Content-Type", "application/json")], body: Array("{}".utf8))
        }, _ body: (Upstream) async throws -> Void
    ) async throws {
        let upstream = try Upstream(answer)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(upstream)) } catch { outcome = .failure(error) }
        await upstream.listener.stop(grace: .seconds(1))
        try outcome.get()
    }

    /// Where it listens.
    var origin: String { "http://127.0.0.1:\(listener.port)" }

    /// The token of the call that came last.
    func lastToken() throws -> String {
        try #require(seen.withLock { $0.last?.token }, "the API was not called with a token")
    }

    /// How many calls came.
    var count: Int { seen.withLock { $0.count } }

    /// A route to it.
    func route(_ path: String, _ methods: String, clients: [String], require: String) -> String {
        "{ path: \(path), upstream: \"\(origin)\(path)\", methods: \(methods),"
            + " clients: [\(clients.joined(separator: ", "))], require: \(require) }"
    }
}
