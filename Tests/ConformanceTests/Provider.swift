import Basics
import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import JSON
import Logs

/// A request as it reached the provider.
struct Received: Sendable {
    let method: String
    let path: String
    let query: String
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    var text: String { String(decoding: body, as: UTF8.self) }
    var form: QueryParameters { QueryParameters(parsing: text) ?? QueryParameters() }
    var parameters: QueryParameters { QueryParameters(parsing: query) ?? QueryParameters() }
}

/// What the provider says.
struct Reply: Sendable {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: String

    init(_ status: Int = 200, _ headers: [(name: String, value: String)] = [], _ body: String) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    static func json(_ text: String) -> Reply {
        Reply(200, [("Content-Type", "application/json")], text)
    }

    /// The answer of a fixture; what the server writes itself is left out.
    init(_ fixture: Fixture) {
        let own = ["content-length", "date", "connection", "transfer-encoding"]
        self.init(
            fixture.status, fixture.headers.filter { !own.contains($0.name.lowercased()) }, fixture.bodyText)
    }
}

/// A provider on a free port of loopback, and a client to call it with.
final class Provider: Sendable {
    typealias Script = @Sendable (Received) -> Reply?

    private let listener: Listener
    private let events: EventThread
    private let log: Locked<[Received]>
    let client: CurlTransport
    /// `http://127.0.0.1:port`.
    let origin: String

    /// Serves a script as long as the body runs; what the script does not answer is 404.
    static func serving<Result>(
        _ script: @escaping Script, _ body: (Provider) async throws -> Result
    ) async throws -> Result {
        let provider = try Provider(script)
        do {
            let result = try await body(provider)
            await provider.stop()
            return result
        } catch {
            await provider.stop()
            throw error
        }
    }

    private init(_ script: @escaping Script) throws {
        let logger = Logger.silent
        let log = Locked<[Received]>([])
        self.log = log
        var settings = ListenerSettings()
        settings.threads = 1
        listener = try Listener(settings, logger: logger) { request in
            let body = (try? await request.body.collect(upTo: 1 << 20)) ?? []
            var headers: [(String, String)] = []
            request.headers.forEach { headers.append(($0, $1)) }
            let received = Received(
                method: request.method.rawValue, path: String(request.path), query: String(request.query ?? ""),
                headers: headers, body: body)
            log.withLock { $0.append(received) }
            let reply = script(received) ?? Reply(404, [], "not scripted")
            return ServerResponse(
                status: reply.status, headers: reply.headers.map { ResponseHeader($0.name, $0.value) },
                body: Array(reply.body.utf8))
        }
        try listener.start()
        origin = "http://127.0.0.1:\(listener.port)"
        events = try EventThread()
        client = try CurlTransport(thread: events, logger: logger)
    }

    private func stop() async {
        await client.shutdown()
        await events.stop()
        await listener.stop(grace: .zero)
    }

    /// Every request so far.
    var received: [Received] { log.withLock { $0 } }
}
