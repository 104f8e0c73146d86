import Cloakroom
import JSON
import TestSupport
import Testing

extension Bench {
    /// Opens an event stream as a page of the app does.
    func events(
        _ browser: Browser, last: String? = nil, changing: [String: String?] = [:], target: String = "/bff/events",
        method: String = "GET"
    ) async throws -> EventReader {
        try await events(
            cookie: await browser.cookie, last: last, changing: changing, target: target, method: method)
    }

    /// Opens an event stream with a field `Cookie`.
    func events(
        cookie: String?, last: String? = nil, changing: [String: String?] = [:], target: String = "/bff/events",
        method: String = "GET"
    ) async throws -> EventReader {
        var fields: [String: String?] = [
            "Host": "localhost:\(server.port)", "Sec-Fetch-Site": "same-origin", "Cookie": cookie,
            "Last-Event-ID": last,
        ]
        fields.merge(changing) { $1 }
        let sent = fields.compactMap { name, value in value.map { (name, $0) } }
        return try await EventReader(port: server.port, target: target, headers: sent, method: method)
    }

    /// Searches all that a stream sent for secrets at the end of the bench, and now for its cookies.
    func search(_ stream: EventReader, _ cookies: String?...) async {
        let text = await stream.text
        recorder.record(text)
        for cookie in cookies {
            for pair in (cookie ?? "").split(separator: ";") {
                for part in pair.drop(while: { $0 != "=" }).dropFirst().split(separator: ".") {
                    #expect(!text.contains(part), "a part of a cookie is in a stream")
                }
            }
        }
        #expect(!text.contains("f_") && !text.contains("(usr"), "an id is in a stream: \(text)")
    }
}

extension EventReader {
    /// The next event in one line; nil at the end of the stream.
    func told() async throws -> String? { try await next()?.line }

    /// The events up to the end, each in one line.
    func toldToTheEnd() async throws -> [String] { try await rest().map(\.line) }
}

extension EventReader.Event {
    /// Type and data.
    var line: String { "\(name) \(data.text)" }
}
