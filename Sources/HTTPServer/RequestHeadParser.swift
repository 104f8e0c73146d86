internal import Basics
internal import CMicroHTTPD
internal import HTTPCore

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A request head that passed every check.
struct RequestHead {
    var method: HTTPMethod
    var headers: RequestHeaders
    var isHead: Bool
    /// The length of the body in bytes; nil when the body is chunked.
    var contentLength: Int?
}

/// Checks a request head against RFC 9112 and copies it out of the connection's buffer.
///
/// libmicrohttpd 0.9.75 is lenient, and it has overwritten parts of the head when it first calls the handler: the space
/// after the method and after the target, the first colon of each line, and CR and LF each become NUL. So the parser
/// walks the head again. Each field that libmicrohttpd reports must begin exactly after the two bytes that end the line
/// before it, and the whole head must be as long as libmicrohttpd says. A bare LF, a folded line, a NUL in a value, a
/// line without a name or a second space shifts a position, and the request is refused.
///
/// The parser cannot detect an empty line that is written as `NUL LF` or `: LF` instead of CR LF.
struct RequestHeadParser {
    private var cursor: UInt
    private var failure: RequestError?
    private var out: UnsafeMutablePointer<UInt8>
    private let outEnd: UnsafeMutablePointer<UInt8>
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private var chunked = false
    private var contentLength = 0

    private init(cursor: UInt, out: UnsafeMutableBufferPointer<UInt8>, base: UnsafeMutablePointer<UInt8>) {
        self.cursor = cursor
        self.out = base
        outEnd = base + out.count
    }

    /// Checks and copies the head of the request that the connection has just received.
    ///
    /// - Parameters:
    ///   - connection: libmicrohttpd's connection, during the first handler call for the request.
    ///   - method: The method as libmicrohttpd passes it.
    ///   - version: The version as libmicrohttpd passes it.
    ///   - target: The raw target, with its address in the connection's buffer.
    ///   - limits: The bounds of the listener; the target has been checked already.
    ///   - memory: The size of the connection's buffer.
    /// - Returns: The head.
    /// - Throws: The reason why the request is refused.
    static func parse(
        _ connection: OpaquePointer, method: UnsafePointer<CChar>, version: UnsafePointer<CChar>, target: RequestTarget,
        limits: ListenerSettings.Limits, memory: Int
    ) throws(RequestError) -> RequestHead {
        let start = UInt(bitPattern: method)
        let size = cloakroom_mhd_head_size(connection)
        guard size <= memory else { throw .headersTooLarge }
        let end = start + UInt(size)
        let methodLength = strnlen(method, 33)
        let versionStart = UInt(bitPattern: version)
        // method SP target SP HTTP/1.x CR LF … CR LF: exactly one space each, and enough bytes for the rest.
        guard size >= 14, (1...32).contains(methodLength), target.start == start + UInt(methodLength) + 1,
            target.length > 0, versionStart == target.start + UInt(target.length) + 1, versionStart + 12 <= end,
            version[8] == 0, version[9] == 0
        else { throw .malformed }
        let isHTTP10 = version[7] == CChar(bitPattern: UInt8(ascii: "0"))
        guard isHTTP10 || version[7] == CChar(bitPattern: UInt8(ascii: "1")) else { throw .version }

        let fields = MHD_get_connection_values_n(connection, .HEADER_KIND, nil, nil)
        guard fields >= 0, Int(fields) <= limits.headerCount else { throw .headersTooLarge }
        var result: Result<RequestHeadParser, RequestError> = .failure(.malformed)
        let storage = [UInt8](unsafeUninitializedCapacity: size + Int(fields) * 8) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            var parser = RequestHeadParser(cursor: versionStart + 10, out: buffer, base: base)
            _ = withUnsafeMutablePointer(to: &parser) { parser in
                MHD_get_connection_values_n(connection, .HEADER_KIND, visitField, parser)
            }
            count = parser.out - base
            result = parser.failure.map { .failure($0) } ?? .success(parser)
        }
        let parser = try result.get()
        guard parser.cursor + 2 == end, let tail = UnsafePointer<CChar>(bitPattern: parser.cursor), tail[0] == 0,
            tail[1] == 0
        else { throw .malformed }
        guard size <= limits.headerBytes else { throw .headersTooLarge }
        try parser.checkFraming(isHTTP10: isHTTP10)
        guard parser.contentLength <= limits.body else { throw .bodyTooLarge }
        let name = try token(method, methodLength)
        return RequestHead(
            method: name, headers: RequestHeaders(storage: storage, count: Int(fields)), isHead: name == .head,
            contentLength: parser.chunked ? nil : parser.contentLength)
    }

    /// Checks RFC 9112 sections 3.2 and 6: one `Host`, and one way to tell the length of the body.
    private func checkFraming(isHTTP10: Bool) throws(RequestError) {
        guard hosts == 1 || hosts == 0 && isHTTP10 else { throw .host }
        guard lengths <= 1, codings <= 1, lengths + codings <= 1 else { throw .bodyLength }
        guard codings == 0 || !isHTTP10 else { throw .bodyLength }
        guard codings == 0 || chunked else { throw .transferCoding }
    }

    private static func token(_ text: UnsafePointer<CChar>, _ length: Int) throws(RequestError) -> HTTPMethod {
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        guard bytes.allSatisfy(isToken) else { throw .malformed }
        if bytes.elementsEqual("GET".utf8) { return .get }
        if bytes.elementsEqual("POST".utf8) { return .post }
        guard let method = HTTPMethod(rawValue: String(decoding: bytes, as: UTF8.self)) else {
            throw .malformed
        }
        return method
    }

    fileprivate mutating func visit(
        _ key: UnsafePointer<CChar>, _ keyLength: Int, _ value: UnsafePointer<CChar>, _ valueLength: Int
    ) -> Bool {
        guard UInt(bitPattern: key) == cursor, keyLength > 0, key[keyLength] == 0,
            UInt(bitPattern: value) > UInt(bitPattern: key) + UInt(keyLength), value[valueLength] == 0,
            value[valueLength + 1] == 0
        else { return refuse(.malformed) }
        let pad = UnsafeRawPointer(value) - UnsafeRawPointer(key) - keyLength - 1
        for offset in 0..<pad where !Self.isBlank(UInt8(bitPattern: key[keyLength + 1 + offset])) {
            return refuse(.malformed)
        }
        cursor = UInt(bitPattern: value) + UInt(valueLength) + 2
        guard 8 + keyLength + valueLength <= outEnd - out else { return refuse(.headersTooLarge) }
        return copy(
            UnsafeRawBufferPointer(start: key, count: keyLength),
            UnsafeRawBufferPointer(start: value, count: valueLength))
    }

    private mutating func copy(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        var length = value.count
        while length > 0, Self.isBlank(value[length - 1]) { length -= 1 }
        let name = out + 8
        for (index, byte) in key.enumerated() {
            guard Self.isToken(byte) else { return refuse(.malformed) }
            name[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
        }
        let text = name + key.count
        // The loop has no early exit, so that the compiler can check many bytes at a time: values are long.
        var broken = 0 as UInt8
        for index in 0..<length {
            let byte = value[index]
            let isBroken = byte < 0x20 && byte != 0x09 || byte == 0x7F
            broken |= isBroken ? 1 : 0
            text[index] = byte
        }
        guard broken == 0 else { return refuse(.malformed) }
        let raw = UnsafeMutableRawPointer(out)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: key.count), as: UInt32.self)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: length), toByteOffset: 4, as: UInt32.self)
        out = text + length
        return note(
            UnsafeBufferPointer(start: name, count: key.count), UnsafeBufferPointer(start: text, count: length),
            trimmed: length != value.count)
    }

    /// Checks `Host`, `Expect` and the fields that tell the length of the body, and records them for `checkFraming`.
    ///
    /// - Returns: False when the field is refused.
    private mutating func note(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, trimmed: Bool
    ) -> Bool {
        switch name.count {
        case 4 where name.elementsEqual("host".utf8):
            hosts += 1
            guard HostField.isValid(value) else { return refuse(.host) }
        case 6 where name.elementsEqual("expect".utf8):
            guard Self.equal(value, "100-continue") else { return refuse(.expectation) }
        case 14 where name.elementsEqual("content-length".utf8):
            lengths += 1
            guard let length = Self.decimal(value), !trimmed else { return refuse(.bodyLength) }
            contentLength = length
        case 17 where name.elementsEqual("transfer-encoding".utf8):
            codings += 1
            // libmicrohttpd compares the value including its trailing blanks: a value that it does not take for chunked
            // must not pass here.
            chunked = Self.equal(value, "chunked") && !trimmed
        default: break
        }
        return true
    }

    private mutating func refuse(_ refusal: RequestError) -> Bool {
        failure = refusal
        return false
    }

    private static func decimal(_ value: UnsafeBufferPointer<UInt8>) -> Int? {
        guard (1...18).contains(value.count) else { return nil }
        var number = 0
        for byte in value {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int(byte - 0x30)
        }
        return number
    }

    /// True if the value equals `expected` without regard to case; `expected` is in lower case.
    private static func equal(_ value: UnsafeBufferPointer<UInt8>, _ expected: StaticString) -> Bool {
        guard value.count == expected.utf8CodeUnitCount else { return false }
        for index in value.indices {
            let byte = value[index]
            let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
            guard lower == expected.utf8Start[index] else { return false }
        }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// True if the byte is a `tchar` of RFC 9110 section 5.6.2; the masks have one bit per ASCII character.
    static func isToken(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        guard byte < 128 else { return false }
        return (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }
}

private let visitField: MHD_KeyValueIteratorN = { context, _, key, keyLength, value, valueLength in
    guard let context, let key, let value else { return .NO }
    return context.assumingMemoryBound(to: RequestHeadParser.self).pointee.visit(key, keyLength, value, valueLength)
        ? .YES : .NO
}
