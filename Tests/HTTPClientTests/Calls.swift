import Basics
import EventLoop
import HTTPClient
import HTTPCore
import Logs
import TestSupport
import Testing

/// A transport on a thread of its own, for one test.
struct Calls {
    let thread: EventThread
    let transport: CurlTransport

    /// Runs the body with a transport, then shuts everything down.
    static func run(
        _ change: (inout HTTPClientSettings) -> Void = { _ in }, logger: Logger = quietLogger,
        _ body: (Calls) async throws -> Void
    ) async throws {
        var settings = HTTPClientSettings()
        change(&settings)
        let thread = try EventThread(name: "test")
        let transport = try CurlTransport(settings, thread: thread, logger: logger)
        do {
            try await body(Calls(thread: thread, transport: transport))
        } catch {
            await transport.shutdown()
            await thread.stop()
            throw error
        }
        await transport.shutdown()
        await thread.stop()
    }

    func send(
        _ method: HTTPMethod = .get, _ address: String, _ fields: HTTPFields = [:], _ body: String = "",
        within time: Duration = .seconds(60), isAnonymous: Bool = false, purpose: RequestPurpose = .provider
    ) async throws -> ClientResponse {
        var request = ClientRequest(method, try #require(WebURL(address)), fields: fields, body: Array(body.utf8))
        request.isAnonymous = isAnonymous
        request.purpose = purpose
        return try await transport.send(request, deadline: .now + time)
    }

    /// What `send` throws; nil, with an issue, when it does not throw.
    func failure(
        _ method: HTTPMethod = .get, _ address: String, _ fields: HTTPFields = [:], _ body: String = "",
        within time: Duration = .seconds(60), at location: SourceLocation = #_sourceLocation
    ) async throws -> TransportError? {
        do {
            let answer = try await send(method, address, fields, body, within: time)
            Issue.record("answered with \(answer.status)", sourceLocation: location)
            return nil
        } catch let error as TransportError {
            return error
        }
    }
}

/// Keeps what a transport logs.
final class CallLog: Sendable {
    private let kept = Locked<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger { logger(.warning) }

    func logger(_ level: Logger.Level) -> Logger { Logger(label: "test", level: level, to: Lines(log: self)) }

    private struct Lines: LogDestination {
        let log: CallLog

        func write(_ event: LogEvent) {
            let facts = event.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            log.kept.withLock { $0.append("\(event.level) \(event.message) \(facts.joined(separator: " "))") }
        }
    }
}

/// A logger whose first warning opens a gate.
func openingLogger(_ gate: Gate) -> Logger {
    struct Opening: LogDestination {
        let gate: Gate

        func write(_ event: LogEvent) { gate.open() }
    }
    return Logger(label: "test", level: .warning, to: Opening(gate: gate))
}

/// Drops everything.
let quietLogger = Logger.silent

/// An answer with a length.
func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: String = "") -> String {
    (["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n") + "\r\n\r\n"
        + body
}

extension ScriptedPeer {
    /// A peer that answers each request once the latch is open.
    static func answering(after latch: Latch) throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                latch.pass()
                connection.write(answer())
            }
        }
    }
}

extension ClientResponse {
    var text: String { String(decoding: body, as: UTF8.self) }
}
