public import JSON

/// Reads a stream of server-sent events over a connection of its own, as `EventSource` does.
public actor EventReader {
    /// One event.
    public struct Event: Sendable {
        /// Its type.
        public let name: String
        /// Its data.
        public let data: JSONValue
        /// The id that it sets; nil for none.
        public let id: String?
    }

    /// The status of the answer.
    public nonisolated let status: Int
    /// The fields of the answer, by name in lower case.
    public nonisolated let headers: [String: String]
    /// The id of the last event, which a browser sends when it connects again.
    public private(set) var lastID: String?
    /// All that came, without the framing of chunks.
    public private(set) var text = ""
    /// Comments that came.
    public private(set) var comments = 0
    private let client: RawClient
    private var chunked: [UInt8]
    private var plain: [UInt8] = []
    private var isOver = false

    /// Why there is no event.
    public enum Fault: Error {
        /// The answer has no form that is known.
        case malformed
    }

    /// Asks for a stream; returns when the head of the answer is there.
    public init(port: UInt16, target: String, headers sent: [(String, String)], method: String = "GET") async throws {
        let client = try RawClient(port: port)
        self.client = client
        let head = "\(method) \(target) HTTP/1.1\r\n" + sent.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
        try await client.send(head)
        var bytes: [UInt8] = []
        while bytes.firstRange(of: Array("\r\n\r\n".utf8)) == nil { bytes += try await client.receive() }
        guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw Fault.malformed }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw Fault.malformed
        }
        self.status = status
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { throw Fault.malformed }
            let name = parts[0].lowercased()
            let value = String(parts[1].drop { $0 == " " })
            fields[name] = fields[name].map { "\($0), \(value)" } ?? value
        }
        headers = fields
        chunked = Array(bytes[end.upperBound...])
    }

    /// The body of an answer that is no stream.
    public func body() async throws -> String {
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while chunked.count < length { chunked += try await client.receive() }
        return String(decoding: chunked, as: UTF8.self)
    }

    /// The next event; nil when the server has ended the stream in order.
    public func next() async throws -> Event? {
        while true {
            if let event = takeEvent() { return event }
            guard !isOver else { return nil }
            try await more()
        }
    }

    /// The events up to the end of the stream.
    public func rest() async throws -> [Event] {
        var events: [Event] = []
        while let event = try await next() { events.append(event) }
        return events
    }

    /// Waits for a comment.
    public func comment() async throws {
        let before = comments
        while comments == before, !isOver {
            _ = takeEvent()
            if comments == before { try await more() }
        }
    }

    /// Hangs up.
    public func close() { client.close() }

    private func more() async throws {
        let size = try await line()
        guard let count = Int(size, radix: 16) else { throw Fault.malformed }
        while chunked.count < count + 2 { chunked += try await client.receive() }
        plain += chunked[..<count]
        text += String(decoding: chunked[..<count], as: UTF8.self)
        chunked.removeFirst(count + 2)
        if count == 0 { isOver = true }
    }

    private func line() async throws -> String {
        while true {
            if let end = chunked.firstRange(of: Array("\r\n".utf8)) {
                defer { chunked.removeSubrange(..<end.upperBound) }
                return String(decoding: chunked[..<end.lowerBound], as: UTF8.self)
            }
            chunked += try await client.receive()
        }
    }

    private func takeEvent() -> Event? {
        while let end = plain.firstRange(of: Array("\n\n".utf8)) {
            let lines = String(decoding: plain[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
            plain.removeSubrange(..<end.upperBound)
            var (name, data, id) = (nil as String?, nil as String?, nil as String?)
            for line in lines {
                if line.hasPrefix(":") { comments += 1 }
                if line.hasPrefix("event: ") { name = String(line.dropFirst(7)) }
                if line.hasPrefix("data: ") { data = String(line.dropFirst(6)) }
                if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
            }
            if let id { lastID = id }
            if let name, let data, let value = try? JSONValue(parsing: Array(data.utf8)) {
                return Event(name: name, data: value, id: id)
            }
        }
        return nil
    }
}
