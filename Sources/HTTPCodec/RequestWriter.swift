/// Writes one request into memory of its caller, part by part.
///
/// Call `start`, `field` for each line, `finish`, then a function for the body. The memory has the size that the
/// `…Size` functions add up to; a write beyond it traps. Each part is checked before it is written. After a refusal
/// nothing of the memory may be sent.
///
/// Invariant: `count` bytes from `base` are written, and no byte behind `capacity` ever is.
///
/// - SeeAlso: RFC 9112 sections 3, 5 and 6.
package struct RequestWriter {
    private let base: UnsafeMutableRawPointer?
    private let capacity: Int
    /// The number of bytes written.
    package private(set) var count = 0

    /// - Parameter memory: The memory to write to; it outlives the writer.
    package init(into memory: UnsafeMutableRawBufferPointer) {
        base = memory.baseAddress
        capacity = memory.count
    }

    /// The bytes that `start` writes.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path.
    ///   - query: The query without its question mark; nil for none.
    ///   - host: The authority.
    ///   - isAbsolute: True for a target in absolute form.
    /// - Returns: A number of bytes.
    package static func startSize(
        method: String, path: String, query: String?, host: String, isAbsolute: Bool = false
    ) -> Int {
        method.utf8.count + path.utf8.count + (query.map { $0.utf8.count + 1 } ?? 0) + host.utf8.count + 20
            + (isAbsolute ? host.utf8.count + 7 : 0)
    }

    /// The bytes that `field` writes, of several fields together.
    ///
    /// - Parameters:
    ///   - count: The number of fields.
    ///   - bytes: The bytes of their names and values.
    /// - Returns: A number of bytes.
    package static func fieldsSize(_ count: Int, bytes: Int) -> Int { 4 * count + bytes }

    /// The bytes that `finish` writes.
    ///
    /// - Parameters:
    ///   - length: The value of `Content-Length`; nil for no such field.
    ///   - isChunked: True for `Transfer-Encoding: chunked`.
    /// - Returns: A number of bytes.
    package static func finishSize(length: Int?, isChunked: Bool = false) -> Int {
        (length.map { digits(of: $0) + 18 } ?? 0) + (isChunked ? 28 : 0) + 2
    }

    /// The bytes that `put(chunk:)` writes.
    ///
    /// - Parameter count: The bytes of data, at least one.
    /// - Returns: A number of bytes.
    package static func chunkSize(_ count: Int) -> Int { hexDigits(of: count) + 4 + count }

    /// The bytes that `putLastChunk` writes.
    package static let lastChunkSize = 5

    /// Checks the parts that `start` writes.
    ///
    /// - Parameters:
    ///   - method: A token, not CONNECT.
    ///   - path: Begins with `/`; visible ASCII without `?`, `#` and `\`.
    ///   - query: Visible ASCII without `#` and `\`; nil for none.
    ///   - host: Host and port as in the address.
    /// - Throws: The part that cannot be written.
    package static func check(
        method: String, path: String, query: String?, host: String
    ) throws(RequestWriteError) {
        // rule: a method that is written is a token
        guard isToken(method) else { throw .method }
        // rule: no tunnel is asked for
        if method.utf8.count == 7, method.utf8.elementsEqual("CONNECT".utf8) { throw .method }
        // rule: a target that is written begins with a slash
        guard path.utf8.first == UInt8(ascii: "/") else { throw .target }
        // rule: a path that is written has visible characters alone
        guard isVisible(path, without: "?") else { throw .target }
        // rule: a query that is written has visible characters alone
        if let query, !query.utf8.isEmpty, !isVisible(query, without: "#") { throw .target }
        // rule: a host that is written is not empty
        guard !host.utf8.isEmpty else { throw .host }
        // rule: a host that is written has characters of an authority alone
        guard isAuthority(host) else { throw .host }
    }

    /// True if the codec writes the field itself, or does not understand the answer to it, so that no caller sets it.
    package static func isReserved(_ name: UnsafeRawBufferPointer) -> Bool {
        name.baseAddress.map { ConnectionFields.contain($0, name.count) } ?? false
    }

    /// Writes the request line and `Host`, which is the first field (RFC 9110 section 7.2), after `check`.
    ///
    /// - Parameters:
    ///   - method: A token, not CONNECT.
    ///   - path: The path.
    ///   - query: The query; nil for none.
    ///   - host: Host and port as in the address.
    ///   - isAbsolute: True for a target in absolute form, with `http`, as a proxy expects it (RFC 9112 section 3.2.2).
    /// - Throws: The part that cannot be written.
    package mutating func start(
        method: String, path: String, query: String?, host: String, isAbsolute: Bool = false
    ) throws(RequestWriteError) {
        try Self.check(method: method, path: path, query: query, host: host)
        put(method)
        put(" ")
        if isAbsolute {
            put("http://")
            put(host)
        }
        put(path)
        if let query {
            put("?")
            put(query)
        }
        put(" HTTP/1.1\r\nHost: ")
        put(host)
        put("\r\n")
    }

    /// Writes a field line.
    ///
    /// - Parameters:
    ///   - name: A token that is not reserved.
    ///   - value: No control characters but tabs, no blanks at the ends; may be empty.
    /// - Throws: The part that cannot be written.
    package mutating func field(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) throws(RequestWriteError) {
        // rule: a field that is written has a name
        guard let start = name.baseAddress, !name.isEmpty else { throw .fieldName }
        // rule: a field name that is written is a token
        guard ByteScan.firstNonToken(start, 0, name.count) == name.count else { throw .fieldName }
        // rule: a field that frames a request is written by the codec alone
        guard !ConnectionFields.contain(start, name.count) else { throw .reservedField }
        if let first = value.first, let last = value.last, let start = value.baseAddress {
            // rule: a value that is written has no control characters
            guard ByteScan.firstControl(start, 0, value.count) == value.count else { throw .fieldValue }
            // rule: a value that is written has no blanks at its ends
            guard !ByteScan.isBlank(first), !ByteScan.isBlank(last) else { throw .fieldValue }
        }
        put(name)
        put(": ")
        put(value)
        put("\r\n")
    }

    /// Writes the codec's own fields and the empty line.
    ///
    /// - Parameters:
    ///   - length: The length of the body in bytes; nil for a request without `Content-Length`.
    ///   - isChunked: True for a body of chunks, whose length is nil.
    package mutating func finish(length: Int?, isChunked: Bool = false) {
        precondition(length == nil || !isChunked, "a request has one length")
        if let length {
            put("Content-Length: ")
            put(number: length)
            put("\r\n")
        }
        if isChunked { put("Transfer-Encoding: chunked\r\n") }
        put("\r\n")
    }

    /// Writes the bytes of a body.
    ///
    /// - Parameter bytes: As many as `finish` announced.
    package mutating func put(body bytes: UnsafeRawBufferPointer) { put(bytes) }

    /// Writes a piece of a body as a chunk (RFC 9112 section 7.1).
    ///
    /// - Parameter bytes: At least one, because an empty chunk is the last one.
    package mutating func put(chunk bytes: UnsafeRawBufferPointer) {
        precondition(!bytes.isEmpty, "an empty chunk would end the body")
        let size = Self.hexDigits(of: bytes.count)
        let place = room(size)
        for index in 0..<size {
            let digit = UInt8(truncatingIfNeeded: bytes.count &>> (4 * (size - 1 - index)) & 0xF)
            place.storeBytes(of: digit < 10 ? digit | 0x30 : digit + 0x37, toByteOffset: index, as: UInt8.self)
        }
        put("\r\n")
        put(bytes)
        put("\r\n")
    }

    /// Writes the last chunk and no trailers.
    package mutating func putLastChunk() { put("0\r\n\r\n") }

    private mutating func put(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        room(bytes.count).copyMemory(from: source, byteCount: bytes.count)
    }

    private mutating func put(_ literal: StaticString) {
        room(literal.utf8CodeUnitCount).copyMemory(from: literal.utf8Start, byteCount: literal.utf8CodeUnitCount)
    }

    private mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { put(UnsafeRawBufferPointer($0)) }
    }

    private mutating func put(number: Int) {
        let size = Self.digits(of: number)
        let place = room(size)
        var rest = number
        for index in (0..<size).reversed() {
            place.storeBytes(of: UInt8(truncatingIfNeeded: rest % 10) | 0x30, toByteOffset: index, as: UInt8.self)
            rest /= 10
        }
    }

    /// Moves on by a number of bytes and gives the place of the first of them.
    private mutating func room(_ size: Int) -> UnsafeMutableRawPointer {
        guard let base, capacity - count >= size else { preconditionFailure("the memory of a request is too small") }
        defer { count += size }
        return base + count
    }

    private static func digits(of number: Int) -> Int {
        precondition(number >= 0)
        var (digits, rest) = (1, number / 10)
        while rest > 0 { (digits, rest) = (digits + 1, rest / 10) }
        return digits
    }

    private static func hexDigits(of number: Int) -> Int {
        precondition(number > 0)
        return (Int.bitWidth - number.leadingZeroBitCount + 3) / 4
    }

    private static func isToken(_ text: String) -> Bool {
        holds(text) { base, count in count > 0 && ByteScan.firstNonToken(base, 0, count) == count }
    }

    private static func isVisible(_ text: String, without other: Unicode.Scalar) -> Bool {
        let excluded = UInt8(ascii: other)
        return holds(text) { base, count in
            for at in 0..<count {
                let byte = base.load(fromByteOffset: at, as: UInt8.self)
                guard byte &- 0x21 < 0x5E, byte != UInt8(ascii: "#"), byte != UInt8(ascii: "\\"), byte != excluded
                else { return false }
            }
            return true
        }
    }

    /// True if the text has letters, digits, and the other characters of registered names, IPv6 addresses and ports (RFC
    /// 3986 section 3.2), and no user information.
    private static func isAuthority(_ text: String) -> Bool {
        holds(text) { base, count in
            for at in 0..<count {
                guard ByteScan.isAuthority(base.load(fromByteOffset: at, as: UInt8.self)) else { return false }
            }
            return true
        }
    }

    /// True if the bytes of a text pass a test; an empty text may not.
    @inline(__always)
    private static func holds(_ text: String, _ test: (UnsafeRawPointer, Int) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let base = bytes.baseAddress else { return false }
            return test(UnsafeRawPointer(base), bytes.count)
        }
    }
}
