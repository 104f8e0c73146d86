internal import Basics
internal import HTTPCore

/// Assembles the head of an answer from the lines that libcurl delivers; stricter than libcurl where framing depends on
/// it.
///
/// Interim answers (1xx) are skipped, trailer fields are counted and dropped. Source: RFC 9112 sections 4 to 6.
struct ResponseReader {
    private enum Place {
        case statusLine
        case fields
        case body
    }

    private var place = Place.statusLine
    private var bytesLeft: Int
    private var contentLengths: Set<String> = []
    private var hasTransferEncoding = false

    /// The status of the final answer, or of the interim answer being read.
    private(set) var status = 0
    /// The fields of that answer in order, each occurrence separate.
    private(set) var fields = HTTPFields()

    /// - Parameter limit: Bytes accepted of all status lines and fields together.
    init(limit: Int) {
        bytesLeft = limit
    }

    /// True if the head of a final answer was read completely.
    var isComplete: Bool { place == .body }

    /// The length of the body that the answer announces.
    var contentLength: Int? { contentLengths.first.flatMap { Int($0) } }

    /// Reads one line with its line end.
    ///
    /// - Throws: `.tooLarge` beyond the limit, `.malformed` for a line that is no status line or field, for a folded
    ///   line, and for contradicting lengths.
    mutating func read(line bytes: UnsafeRawBufferPointer) throws(ExchangeError) {
        bytesLeft -= bytes.count
        guard bytesLeft >= 0 else { throw .tooLarge }
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line = line.dropLast() }
        if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
        switch place {
        case .statusLine:
            status = try Self.status(line)
            fields = HTTPFields()
            place = .fields
        case .fields where line.isEmpty:
            try endHead()
        case .fields:
            try readField(line)
        case .body:
            break
        }
    }

    private mutating func endHead() throws(ExchangeError) {
        if (100..<200).contains(status) {
            // 101 switches to a protocol that was not requested.
            guard status != 101 else { throw .malformed }
            place = .statusLine
            contentLengths = []
            hasTransferEncoding = false
            return
        }
        guard contentLengths.count <= 1, contentLengths.isEmpty || !hasTransferEncoding else { throw .malformed }
        place = .body
    }

    private mutating func readField(_ line: Slice<UnsafeRawBufferPointer>) throws(ExchangeError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
        let value = UnsafeRawBufferPointer(rebasing: Self.trim(line[line.index(after: colon)...]))
        let field: HTTPField
        do {
            let name = try HTTPField.Name(checking: UnsafeRawBufferPointer(rebasing: line[..<colon]))
            field = try HTTPField(name, checking: value)
        } catch {
            throw .malformed
        }
        if field.name == .contentLength {
            guard 1...18 ~= value.count, value.allSatisfy(\.isDigit) else { throw .malformed }
            contentLengths.insert(field.value)
        } else if field.name == .transferEncoding {
            hasTransferEncoding = true
        }
        fields.append(field)
    }

    /// Parses `HTTP/1.1 200 OK`; the reason may be missing, with or without its space.
    private static func status(_ line: Slice<UnsafeRawBufferPointer>) throws(ExchangeError) -> Int {
        guard line.starts(with: "HTTP/".utf8), let space = line.firstIndex(of: UInt8(ascii: " ")) else {
            throw .malformed
        }
        let rest = line[line.index(after: space)...]
        let digits = rest.prefix(3)
        guard digits.count == 3, digits.allSatisfy(\.isDigit),
            rest.dropFirst(3).first.map({ $0 == UInt8(ascii: " ") }) ?? true,
            let status = Int(String(decoding: digits, as: UTF8.self)), (100...599).contains(status)
        else { throw .malformed }
        return status
    }

    private static func trim(_ value: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var value = value
        while let first = value.first, first == 0x20 || first == 0x09 { value = value.dropFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value = value.dropLast() }
        return value
    }
}
