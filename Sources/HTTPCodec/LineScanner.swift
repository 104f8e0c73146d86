internal import Basics

/// Reads the lines of a head or of trailers out of bytes that may still be arriving.
///
/// A scan goes on where the one before it stopped, so each byte is looked at once, however the bytes were split; and a
/// refusal depends on the bytes before it alone, so that every split meets the same one.
///
/// Invariant: a scan reads bytes below its `end` alone, which exist; all places it keeps are below that.
struct LineScanner {
    private enum Phase {
        case statusLine
        case name
        case value
    }

    private var phase: Phase
    private let isTrailer: Bool
    private let fieldLimit: Int
    private var lineStart = 0
    private var colon = 0

    /// The number of bytes that a head may have.
    let limit: Int
    /// The next byte to look at; behind the empty line once a scan was complete.
    private(set) var position = 0
    /// The status, 100 to 599, once its line was read.
    private(set) var status = 0
    /// True if the status line says HTTP/1.0.
    private(set) var isHTTP10 = false
    /// The field lines so far.
    private(set) var lines: [FieldLine] = []
    /// The fields so far that tell the length of the body.
    private(set) var framing = FramingFields()

    /// - Parameters:
    ///   - isTrailer: True for the lines after a chunked body, of which none tells a length.
    ///   - limit: The number of bytes that they may have.
    ///   - fieldLimit: The number of field lines that there may be.
    init(isTrailer: Bool, limit: Int, fieldLimit: Int) {
        phase = isTrailer ? .name : .statusLine
        self.isTrailer = isTrailer
        self.limit = limit
        self.fieldLimit = fieldLimit
        if !isTrailer { lines.reserveCapacity(min(16, fieldLimit)) }
    }

    /// Reads on from `position`.
    ///
    /// - Parameters:
    ///   - base: The first byte of the head; the bytes that were scanned before are unchanged.
    ///   - end: The number of bytes that are there.
    /// - Returns: True if the empty line was read.
    /// - Throws: The first problem.
    mutating func scan(_ base: UnsafeRawPointer, _ end: Int) throws(HTTPCodecError) -> Bool {
        while position < end {
            switch phase {
            case .statusLine:
                guard try scanStatusLine(base, end) else { return false }
            case .name:
                if position == lineStart {
                    switch try scanLineStart(base, end) {
                    case .emptyLine: return true
                    case .unknown: return false
                    case .name: break
                    }
                }
                guard try scanName(base, end) else { return false }
            case .value:
                guard try scanValue(base, end) else { return false }
            }
        }
        return false
    }

    private mutating func scanStatusLine(_ base: UnsafeRawPointer, _ end: Int) throws(HTTPCodecError) -> Bool {
        position = ByteScan.firstControl(base, position, end)
        guard position < end, try isLineEnd(base, end, otherwise: .reason) else { return false }
        try readVersion(base, position)
        try readStatus(base, position)
        endLine()
        return true
    }

    /// Reads `HTTP/1.1 ` at the beginning of a line of `count` bytes.
    private mutating func readVersion(_ base: UnsafeRawPointer, _ count: Int) throws(HTTPCodecError) {
        // rule: a status line begins with HTTP
        guard ByteScan.begins(base, 0, count, "HTTP/") else { throw .statusLine }
        isHTTP10 = ByteScan.begins(base, 5, count, "1.0")
        // rule: a version is 1.0 or 1.1
        guard isHTTP10 || ByteScan.begins(base, 5, count, "1.1") else { throw .version }
        // rule: a blank follows the version
        guard ByteScan.begins(base, 8, count, " ") else { throw .statusLine }
    }

    /// Reads `200 OK` after the version; the reason may be missing, and its blank with it, as some servers leave it out.
    private mutating func readStatus(_ base: UnsafeRawPointer, _ count: Int) throws(HTTPCodecError) {
        // A shorter line has its CR here, which is no digit.
        for at in 9..<12 {
            let byte = base.load(fromByteOffset: at, as: UInt8.self)
            // rule: a status is digits alone
            guard byte.isDigit else { throw .status }
            status = status * 10 + Int(byte & 0x0F)
        }
        // rule: a status ends after three digits
        guard count == 12 || ByteScan.begins(base, 12, count, " ") else { throw .status }
        // rule: a status is 100 to 599
        guard 100...599 ~= status else { throw .status }
    }

    private enum LineStart {
        case emptyLine
        case name
        case unknown
    }

    /// Tells by the first byte of a line what it is; the end of a head needs two.
    @inline(__always)
    private mutating func scanLineStart(_ base: UnsafeRawPointer, _ end: Int) throws(HTTPCodecError) -> LineStart {
        let byte = base.load(fromByteOffset: position, as: UInt8.self)
        guard byte <= 0x20 else { return .name }
        // rule: a line does not begin with a blank
        if ByteScan.isBlank(byte) { throw .foldedLine }
        guard try isLineEnd(base, end, otherwise: .fieldName) else { return .unknown }
        position += 2
        return .emptyLine
    }

    @inline(__always)
    private mutating func scanName(_ base: UnsafeRawPointer, _ end: Int) throws(HTTPCodecError) -> Bool {
        position = ByteScan.firstNonToken(base, position, end)
        guard position < end else { return false }
        let byte = base.load(fromByteOffset: position, as: UInt8.self)
        // rule: a colon follows a field name
        guard byte == UInt8(ascii: ":") else { throw Self.nameProblem(byte) }
        // rule: a field has a name
        guard position > lineStart else { throw .fieldName }
        colon = position
        position += 1
        phase = .value
        return true
    }

    private static func nameProblem(_ byte: UInt8) -> HTTPCodecError {
        switch byte {
        case 0x20, ByteScan.tab: .blankBeforeColon
        case ByteScan.carriageReturn, ByteScan.lineFeed: .missingColon
        default: .fieldName
        }
    }

    @inline(__always)
    private mutating func scanValue(_ base: UnsafeRawPointer, _ end: Int) throws(HTTPCodecError) -> Bool {
        position = ByteScan.firstControl(base, position, end)
        guard position < end, try isLineEnd(base, end, otherwise: .fieldValue) else { return false }
        // rule: a head has a bounded number of fields
        guard lines.count < fieldLimit else { throw .tooManyFields }
        var (first, last) = (colon + 1, position)
        while first < last, ByteScan.isBlank(base.load(fromByteOffset: first, as: UInt8.self)) { first += 1 }
        while first < last, ByteScan.isBlank(base.load(fromByteOffset: last - 1, as: UInt8.self)) { last -= 1 }
        let line = FieldLine(start: lineStart, colon: colon, valueStart: first, valueEnd: last)
        lines.append(line)
        if !isTrailer { try framing.note(line, base, isHTTP10: isHTTP10) }
        endLine()
        return true
    }

    /// True if CR LF stands at `position`, false if the byte after a CR has not come.
    ///
    /// - Parameters:
    ///   - base: The first byte of the head.
    ///   - end: The number of bytes that are there.
    ///   - problem: The refusal of another control character.
    /// - Returns: True if both bytes are there.
    /// - Throws: `problem`, or the refusal of a CR or LF that stands alone.
    @inline(__always)
    private func isLineEnd(
        _ base: UnsafeRawPointer, _ end: Int, otherwise problem: HTTPCodecError
    ) throws(HTTPCodecError) -> Bool {
        let byte = base.load(fromByteOffset: position, as: UInt8.self)
        // rule: a line does not end with a line feed alone
        if byte == ByteScan.lineFeed { throw .bareLineFeed }
        // rule: a line has no control characters
        guard byte == ByteScan.carriageReturn else { throw problem }
        guard position + 1 < end else { return false }
        // rule: a line feed follows a carriage return
        guard base.load(fromByteOffset: position + 1, as: UInt8.self) == ByteScan.lineFeed else {
            throw .bareCarriageReturn
        }
        return true
    }

    private mutating func endLine() {
        position += 2
        lineStart = position
        phase = .name
    }
}
