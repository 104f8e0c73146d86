import HTTPCore
import HTTPServer
import JSON

/// What a browser gets of a request: nothing, or a response.
enum Answer: Sendable {
    /// The connection broke, or nobody was there.
    case nothing
    case response(Response)
}

/// A response as a browser reads it.
struct Response: Sendable {
    let status: Int
    /// What becomes of cookies by their names; nil for one that goes.
    let cookies: [(name: String, value: String?)]
    let body: [UInt8]
    /// The body, where it is JSON.
    let json: JSONValue?
    /// Where it leads; nil for what is no redirect.
    var location: String?
    /// What is said to gateways, and when to come again, by the names of the fields in small letters.
    var facts: [String: String] = [:]

    /// An answer that the world gives itself.
    init(status: Int) {
        self.status = status
        cookies = []
        body = []
        json = nil
    }

    init(_ response: ServerResponse) {
        status = response.status
        cookies = response.headers.compactMap { header in
            guard header.name == "Set-Cookie" else { return nil }
            let parts = header.value.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let pair = parts.first, let mark = pair.firstIndex(of: "=") else { return nil }
            let isGone = parts.dropFirst().contains { $0 == "Max-Age=0" }
            return (String(pair[..<mark]), isGone ? nil : String(pair[pair.index(after: mark)...]))
        }
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
        json = body.isEmpty ? nil : try? JSONValue(parsing: body)
        location = response.headers.first { $0.name == "Location" }?.value
        for header in response.headers where header.name.hasPrefix("X-Auth-") || header.name == "Retry-After" {
            facts[header.name.lowercased()] = header.value
        }
    }

    /// The last part of a problem's type; nil for what is none.
    var problem: String? {
        guard let type = json?["type"]?.string, type.hasPrefix("/problems/") else { return nil }
        return String(type.dropFirst("/problems/".count))
    }

    /// What follows the `#` of where it leads: `resume=…` or `return=…`; nil where nothing does.
    var news: Substring? {
        location.flatMap { location in location.firstIndex(of: "#").map { location[location.index(after: $0)...] } }
    }

    /// What somebody who has come back goes on with.
    var handle: String? { news.flatMap { $0.hasPrefix("resume=") ? String($0.dropFirst("resume=".count)) : nil } }

    /// Whether it leads away, or to the address that a form was sent to.
    var leadsOn: Bool { location != nil && news == nil }

    /// How it ended, for people and for the table of what was exercised.
    var outcome: String {
        if let problem { return "\(status) \(problem)" }
        if let news { return "\(status) \(handle == nil ? news.dropFirst("return=".count) : "resume")" }
        if leadsOn { return "\(status) on" }
        guard status == 200, let type = json?["type"]?.string else { return "\(status)" }
        return type == "failure" ? "failure \(json?["reason"]?.string ?? "")" : type
    }

    /// Whose facts it tells, as a success or as a user.
    var subject: String? {
        guard status == 200 else { return nil }
        return (json?["subject"] ?? json?["user"]?["subject"])?.string
    }
}

extension Answer {
    /// How it ended.
    var outcome: String {
        switch self {
        case .nothing: "no answer"
        case .response(let response): response.outcome
        }
    }

    var response: Response? {
        if case .response(let response) = self { return response }
        return nil
    }

    /// One line of the trace.
    var text: String {
        guard let response else { return "no answer" }
        var words = [response.outcome]
        if let flow = response.json?["flow"]?.string { words.append(String(flow.prefix(7))) }
        if let step = response.json?["step"]?.int { words.append("step \(step)") }
        if let subject = response.subject { words.append(subject) }
        for (name, value) in response.cookies {
            words.append("\(value.map { "set " + Jar.text(name, $0) } ?? "clear \(Jar.text(name))")")
        }
        return words.joined(separator: " ")
    }
}
