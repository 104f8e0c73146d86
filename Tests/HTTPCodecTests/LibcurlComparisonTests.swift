import EventLoop
import HTTPClient
import HTTPCodec
import HTTPCore
import Logs
import TestSupport
import Testing

@Suite("Beside libcurl")
struct LibcurlComparisonTests {
    /// The answers of the table that libcurl reads under the limits of its own.
    private static let answers = GoodAnswer.all.filter { $0.wire.limits == ResponseLimits() }

    @Test func `reads every well-formed answer in the same way`() async throws {
        let peer = try ScriptedPeer { connection in
            guard let request = connection.readRequest() else { return }
            let index = request.lines.first.flatMap { Int($0.split(separator: "/")[1].prefix { $0.isNumber }) } ?? 0
            connection.write(Self.answers[index].wire.bytes)
        }
        defer { peer.stop() }
        let thread = try EventThread(name: "test")
        let transport = try CurlTransport(HTTPClientSettings(), thread: thread, logger: Logger.silent)
        for (index, answer) in Self.answers.enumerated() {
            let url = try #require(WebURL(peer.origin + "/\(index)"))
            let reply = try await transport.send(ClientRequest(answer.wire.method, url), deadline: .now + .seconds(60))
            let own = answer.wire.collected()
            #expect(reply.status == own.status, "\(answer.testDescription)")
            #expect(reply.body == own.body, "\(answer.testDescription)")
            #expect(
                reply.fields.map { Line(name: $0.name.rawName, value: $0.value) } == own.lines,
                "\(answer.testDescription)")
        }
        await transport.shutdown()
        await thread.stop()
    }

    @Test func `writes a request in the same way`() async throws {
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            // Said, so that no request goes out on the connection that this one closes.
            connection.write("HTTP/1.1 204 No\r\nConnection: close\r\n\r\n")
        }
        defer { peer.stop() }
        let fields: HTTPFields = [.userAgent: "x", .accept: "a/b", "X-Empty": "", .authorization: "Bearer a.b"]
        let thread = try EventThread(name: "test")
        let transport = try CurlTransport(HTTPClientSettings(), thread: thread, logger: Logger.silent)
        let requests: [(HTTPMethod, String)] = [
            (.get, ""), (.post, ""), (.put, "{}"), (.delete, ""), (.delete, "x"), (.options, ""), (.head, ""),
        ]
        for (method, body) in requests {
            let url = try #require(WebURL(peer.origin + "/a/b%20c?d=e"))
            _ = try await transport.send(
                ClientRequest(method, url, fields: fields, body: Array(body.utf8)), deadline: .now + .seconds(60))
            let host = String(peer.origin.dropFirst("http://".utf8.count))
            let own = RequestMessage(method, "/a/b%20c", query: "d=e", host: host, fields: fields)
            let text = String(decoding: try own.bytes(body: Array(body.utf8)), as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let sent = try #require(peer.requests.last)
            let lines = parts[0].split(separator: "\r\n")
            #expect(lines.first.map(String.init) == sent.lines.first)
            // libcurl writes an empty value without its blank, and the length before the caller's fields.
            let plain = { (line: String) in line.filter { $0 != " " } }
            #expect(Set(lines.map { plain(String($0)) }) == Set(sent.lines.map(plain)), "\(method)")
            #expect(Array(parts[1].utf8) == sent.body)
        }
        await transport.shutdown()
        await thread.stop()
    }
}
