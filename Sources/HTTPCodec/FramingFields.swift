internal import Basics

/// The fields of a head that say where the body ends and whether the connection is kept (RFC 9112 sections 6 and 9.3).
struct FramingFields {
    /// The length by `Content-Length`, in bytes.
    private(set) var length: Int?
    /// True if the body is chunked.
    private(set) var isChunked = false
    /// True if the head has a `Transfer-Encoding`.
    private(set) var hasCoding = false
    /// True if `Connection` has `close`.
    private(set) var closes = false

    /// Reads a field line if it is one of these; a look at the length of its name excludes nearly all others.
    ///
    /// - Parameters:
    ///   - line: The line, within bytes that its caller has scanned.
    ///   - base: The first byte of the head.
    ///   - isHTTP10: True if the status line says HTTP/1.0.
    /// - Throws: A length or a coding that is refused.
    @inline(__always)
    mutating func note(_ line: FieldLine, _ base: UnsafeRawPointer, isHTTP10: Bool) throws(HTTPCodecError) {
        let name = line.name
        switch name.count {
        case 10 where ByteScan.equals(base, name.lowerBound, name.upperBound, "connection"):
            noteConnection(line.value, base)
        case 14 where ByteScan.equals(base, name.lowerBound, name.upperBound, "content-length"):
            try noteLength(line.value, base)
        case 17 where ByteScan.equals(base, name.lowerBound, name.upperBound, "transfer-encoding"):
            // rule: an answer of HTTP/1.0 has no transfer coding
            if isHTTP10 { throw .transferEncodingVersion }
            try noteCodings(line.value, base)
        default: break
        }
    }

    /// Checks at the end of a head that it has one way to tell the length.
    func checkEnd() throws(HTTPCodecError) {
        // rule: an answer has not both a length and a transfer coding
        if length != nil, hasCoding { throw .bothLengths }
    }

    private mutating func noteLength(_ value: Range<Int>, _ base: UnsafeRawPointer) throws(HTTPCodecError) {
        // rule: a content length has one to eighteen characters
        guard 1...18 ~= value.count else { throw .contentLength }
        var number = 0
        for at in value {
            let byte = base.load(fromByteOffset: at, as: UInt8.self)
            // rule: a content length is digits alone
            guard byte.isDigit else { throw .contentLength }
            number = number &* 10 &+ Int(byte & 0x0F)
        }
        // rule: two content lengths are equal
        if let length, length != number { throw .contentLengthsDiffer }
        length = number
    }

    private mutating func noteCodings(_ value: Range<Int>, _ base: UnsafeRawPointer) throws(HTTPCodecError) {
        hasCoding = true
        try Self.forEachElement(value, base) { start, end throws(HTTPCodecError) in
            let isKnown = ByteScan.equals(base, start, end, "chunked")
            // rule: nothing follows the chunked coding
            if isChunked, !isKnown { throw .chunkedNotLast }
            // rule: chunked is the only coding
            guard isKnown else { throw .transferCoding }
            // rule: an answer is chunked once
            if isChunked { throw .chunkedTwice }
            isChunked = true
        }
    }

    private mutating func noteConnection(_ value: Range<Int>, _ base: UnsafeRawPointer) {
        Self.forEachElement(value, base) { start, end in
            if ByteScan.equals(base, start, end, "close") { closes = true }
        }
    }

    /// Visits the elements of a list, without the blanks around them; an empty value has one empty element.
    private static func forEachElement<Failure: Error>(
        _ value: Range<Int>, _ base: UnsafeRawPointer, _ visit: (_ start: Int, _ end: Int) throws(Failure) -> Void
    ) throws(Failure) {
        var start = value.lowerBound
        for at in value.lowerBound...value.upperBound {
            guard at == value.upperBound || base.load(fromByteOffset: at, as: UInt8.self) == UInt8(ascii: ",") else {
                continue
            }
            var (first, last) = (start, at)
            while first < last, ByteScan.isBlank(base.load(fromByteOffset: first, as: UInt8.self)) { first += 1 }
            while first < last, ByteScan.isBlank(base.load(fromByteOffset: last - 1, as: UInt8.self)) { last -= 1 }
            try visit(first, last)
            start = at + 1
        }
    }
}
