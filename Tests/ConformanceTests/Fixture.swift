import JSON
import Testing

/// One HTTP exchange, in the form that Tests/ConformanceTests/Fixtures/README.md describes.
struct Fixture: Sendable {
    /// `journey/choice.json`.
    let name: String
    /// Where it was seen; `own` for one that was written by us.
    let source: String
    /// How the client is set up, beyond what every one has.
    let settings: JSONValue?
    let request: JSONValue?
    let status: Int
    /// Each occurrence apart, in order.
    let headers: [(name: String, value: String)]
    let body: JSONValue
    let expect: JSONObject?

    /// The file is not what the README describes.
    struct Malformed: Error {
        let name: String
        let member: String
    }

    init(name: String, parsing bytes: [UInt8]) throws {
        let json = try JSONValue(parsing: bytes)
        self.name = name
        source = json["source"]?.string ?? ""
        settings = json["settings"]
        request = json["request"]
        guard let status = json["status"]?.int else { throw Malformed(name: name, member: "status") }
        self.status = Int(status)
        var headers: [(String, String)] = []
        for (field, value) in json["headers"]?.object ?? [:] {
            for text in value.array ?? [value] {
                guard let text = text.string else { throw Malformed(name: name, member: "headers") }
                headers.append((field, text))
            }
        }
        self.headers = headers
        guard let body = json["body"] else { throw Malformed(name: name, member: "body") }
        self.body = body
        if let expect = json["expect"] {
            guard let object = expect.object else { throw Malformed(name: name, member: "expect") }
            self.expect = object
        } else {
            expect = nil
        }
    }

    /// The body as it travels: a string is raw text, anything else JSON.
    var bodyText: String { body.string ?? body.text }

    /// The first value of a header.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
