import HTTPServer
import JSON
import TestSupport
import Testing

/// An answer as a test reads it.
struct Answered: Sendable {
    let status: Int
    /// By name in lower case.
    let headers: [String: [String]]
    let body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body when it says that it is JSON; nil for the answer to HEAD.
    var json: JSONValue? {
        guard !body.isEmpty, headers["content-type"]?.first?.hasSuffix("json") == true else { return nil }
        do {
            return try JSONValue(parsing: body)
        } catch {
            Issue.record("the body is not JSON: \(text)")
            return nil
        }
    }

    subscript(name: String) -> JSONValue? { json?[name] }

    /// The last part of a problem's type; nil for anything else.
    var problem: String? {
        guard headers["content-type"] == ["application/problem+json"], let type = json?["type"]?.string,
            type.hasPrefix("/problems/"), json?["status"]?.int == Int64(status),
            json?["instance"]?.string == headers["x-request-id"]?.first
        else { return nil }
        return String(type.dropFirst("/problems/".count))
    }

    func header(_ name: String) -> String? {
        headers[name].flatMap { $0.count == 1 ? $0[0] : nil }
    }

    init(_ answer: RawAnswer) {
        status = answer.status
        headers = Dictionary(answer.headers.map { ($0.name, [$0.value]) }) { $0 + $1 }
        body = answer.body
    }

    init(_ response: ServerResponse) {
        status = response.status
        headers = Dictionary(response.headers.map { ($0.name.lowercased(), [$0.value]) }) { $0 + $1 }
        switch response.body {
        case .bytes(let bytes): body = bytes
        case .none: body = []
        case .stream:
            Issue.record("a streamed answer")
            body = []
        }
    }
}
