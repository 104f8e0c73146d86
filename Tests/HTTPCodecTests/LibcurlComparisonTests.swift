import HTTPCodec
import HTTPCore
import TestSupport
import Testing

@testable import HTTPClient

@Suite("Beside libcurl")
struct LibcurlComparisonTests {
    /// The answers of the table that libcurl reads under the limits of its own.
    private static let answers = GoodAnswer.all.filter { $0.wire.limits == ResponseLimits() }

    @Test func `reads every well-formed answer in the same way`() throws {
        let peer = try ScriptedPeer { connection in
            guard let request = connection.readRequest() else { return }
            let index = request.lines.first.flatMap { Int($0.split(separator: "/")[1].prefix { $0.isNumber }) } ?? 0
            connection.write(Self.answers[index].wire.bytes)
        }
        defer { peer.stop() }
        for (index, answer) in Self.answers.enumerated() {
            let call = LibcurlCall(method: answer.wire.method, address: peer.origin + "/\(index)")
            let reply = try #require(call.perform(), "\(answer.testDescription)")
            let own = answer.wire.collected()
            #expect(reply.status == own.status, "\(answer.testDescription)")
            #expect(reply.body == own.body, "\(answer.testDescription)")
            #expect(reply.lines == own.lines, "\(answer.testDescription)")
        }
    }

    @Test func `writes a request in the same way`() throws {
        let peer = try ScriptedPeer { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 204 No\r\n\r\n")
        }
        defer { peer.stop() }
        let fields: HTTPFields = [.userAgent: "x", .accept: "a/b", "X-Empty": "", .authorization: "Bearer a.b"]
        let requests: [(HTTPMethod, String)] = [
            (.get, ""), (.post, ""), (.put, "{}"), (.delete, ""), (.delete, "x"), (.options, ""), (.head, ""),
        ]
        for (method, body) in requests {
            let call = LibcurlCall(
                method: method, address: peer.origin + "/a/b%20c?d=e",
                lines: fields.map { $0.value.isEmpty ? "\($0.name.rawName);" : "\($0.name.rawName): \($0.value)" },
                body: body)
            #expect(call.perform()?.status == 204)
            let url = try #require(WebURL(peer.origin + "/a/b%20c?d=e"))
            let own = try RequestPlan(ClientRequest(method, url, fields: fields, body: Array(body.utf8)))
            let text = String(
                decoding: try own.write(agent: [:], isAbsolute: false, upload: nil).bytes, as: UTF8.self)
            let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
            let sent = try #require(peer.requests.last)
            let lines = parts[0].split(separator: "\r\n")
            #expect(lines.first.map(String.init) == sent.lines.first)
            // libcurl writes an empty value without its blank, and the length before the caller's fields.
            let plain = { (line: String) in line.filter { $0 != " " } }
            #expect(Set(lines.map { plain(String($0)) }) == Set(sent.lines.map(plain)), "\(method)")
            #expect(Array(parts[1].utf8) == sent.body)
        }
    }
}
