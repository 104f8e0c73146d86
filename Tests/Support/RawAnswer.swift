/// A response as it came over the wire.
public struct RawAnswer: Sendable {
    /// The status code.
    public let status: Int
    /// The fields: names in lower case, values as sent.
    public let headers: [(name: String, value: String)]
    /// The body, out of its chunks.
    public let body: [UInt8]
    /// The sizes of the chunks; empty when it was not chunked.
    public let chunks: [Int]

    /// The body as text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a field that occurs once; nil otherwise.
    public func header(_ name: String) -> String? {
        let values = headers.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    /// Whether the server said that it will close.
    public var closes: Bool { header("connection")?.lowercased() == "close" }

    /// Takes the first response off the bytes; nil when it is not complete yet.
    static func parse(
        _ bytes: [UInt8], toHead head: Bool, isComplete: Bool
    ) throws(RawClient.Fault) -> (RawAnswer, used: Int)? {
        guard let headEnd = find("\r\n\r\n", bytes, from: 0) else { return nil }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        let start = lines[0].split(separator: " ", maxSplits: 2)
        guard start.count >= 2, start[0] == "HTTP/1.1", let status = Int(start[1]) else { throw .malformed }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard halves.count == 2 else { throw .malformed }
            headers.append((halves[0].lowercased(), String(halves[1].drop { $0 == " " })))
        }
        let at = headEnd + 4
        let value = { (name: String) in headers.first { $0.name == name }?.value }
        func answer(_ body: [UInt8], _ chunks: [Int] = []) -> RawAnswer {
            RawAnswer(status: status, headers: headers, body: body, chunks: chunks)
        }
        if head || status < 200 || status == 204 || status == 304 { return (answer([]), at) }
        if value("transfer-encoding") == "chunked" {
            guard let (body, chunks, used) = try unchunk(bytes, at) else { return nil }
            return (answer(body, chunks), used)
        }
        if let length = value("content-length") {
            guard let length = Int(length) else { throw .malformed }
            guard bytes.count >= at + length else { return nil }
            return (answer(Array(bytes[at..<(at + length)])), at + length)
        }
        return isComplete ? (answer(Array(bytes[at...])), bytes.count) : nil
    }

    private static func unchunk(_ bytes: [UInt8], _ start: Int) throws(RawClient.Fault) -> ([UInt8], [Int], Int)? {
        var at = start
        var body: [UInt8] = []
        var chunks: [Int] = []
        while let lineEnd = find("\r\n", bytes, from: at) {
            guard let size = Int(String(decoding: bytes[at..<lineEnd], as: UTF8.self), radix: 16) else {
                throw .malformed
            }
            let end = lineEnd + 2 + size
            guard bytes.count >= end + 2 else { return nil }
            guard bytes[end] == 13, bytes[end + 1] == 10 else { throw .malformed }
            if size == 0 { return (body, chunks, end + 2) }
            body += bytes[(lineEnd + 2)..<end]
            chunks.append(size)
            at = end + 2
        }
        return nil
    }

    private static func find(_ text: StaticString, _ bytes: [UInt8], from start: Int) -> Int? {
        let wanted = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        guard bytes.count >= start + wanted.count else { return nil }
        return (start...(bytes.count - wanted.count)).first { bytes[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
}
