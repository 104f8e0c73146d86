/// Base64url without padding (RFC 4648 section 5), the form of tokens, cookies and keys; decoding is strict.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values = Base64.table(alphabet)

    /// Encodes bytes without padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, alphabet: alphabet, padded: false)
    }

    /// Decodes the one canonical spelling.
    ///
    /// - Returns: The bytes, or nil for padding, white space, another alphabet, an impossible length or unused bits that
    ///   are not zero: a second spelling of the same bytes would be a second token for the same signature.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64.decode(text, values: values)
    }

    /// Decodes the one canonical spelling, see `decode(_:)` for bytes.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8)
    }

    /// Decodes the one canonical spelling of borrowed bytes, see `decode(_:)`.
    package static func decode(borrowed text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        Base64.decode(buffer: text, values)
    }

    /// Writes borrowed bytes without padding to the start of a buffer.
    ///
    /// - Precondition: The buffer has room for four characters for every three bytes begun.
    /// - Returns: How many characters were written.
    package static func encode(
        borrowed bytes: UnsafeBufferPointer<UInt8>, into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        precondition(out.count >= (bytes.count + 2) / 3 * 4, "no room for the characters")
        return alphabet.withUnsafeBufferPointer { Base64.encode(buffer: bytes, $0, false, into: out) }
    }
}

/// Standard base64 with padding (RFC 4648 section 4), for Basic authentication and provider values.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values = table(alphabet)

    /// Encodes bytes with padding.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(bytes, alphabet: alphabet, padded: true)
    }

    /// Decodes canonical base64 with padding; nil for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard bytes.count % 4 == 0 else { return nil }
        var end = bytes.count
        while end > 0, bytes.count - end < 2, bytes[end - 1] == UInt8(ascii: "=") { end -= 1 }
        return decode(bytes[..<end], values: values)
    }

    static func table(_ alphabet: [UInt8]) -> [UInt8] {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }

    /// Encodes contiguous bytes three at a time; anything else is copied first.
    ///
    /// Generic code is not specialised across modules, so nothing here touches the collection byte by byte.
    static func encode(_ bytes: some Collection<UInt8>, alphabet: [UInt8], padded: Bool) -> String {
        bytes.withContiguousStorageIfAvailable { encode(buffer: $0, alphabet, padded) }
            ?? Array(bytes).withUnsafeBufferPointer { encode(buffer: $0, alphabet, padded) }
    }

    static func decode(_ text: some Collection<UInt8>, values: [UInt8]) -> [UInt8]? {
        text.withContiguousStorageIfAvailable { decode(buffer: $0, values) }
            ?? Array(text).withUnsafeBufferPointer { decode(buffer: $0, values) }
    }

    private static func encode(buffer bytes: UnsafeBufferPointer<UInt8>, _ alphabet: [UInt8], _ padded: Bool) -> String
    {
        alphabet.withUnsafeBufferPointer { alphabet in
            String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { out in
                encode(buffer: bytes, alphabet, padded, into: out)
            }
        }
    }

    fileprivate static func encode(
        buffer bytes: UnsafeBufferPointer<UInt8>, _ alphabet: UnsafeBufferPointer<UInt8>, _ padded: Bool,
        into out: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        var position = 0
        func put(_ bits: UInt32) {
            out[position] = alphabet[Int(bits & 0x3F)]
            position += 1
        }
        let whole = bytes.count / 3 * 3
        for start in stride(from: 0, to: whole, by: 3) {
            let bits = UInt32(bytes[start]) << 16 | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2])
            put(bits >> 18)
            put(bits >> 12)
            put(bits >> 6)
            put(bits)
        }
        let rest = bytes.count - whole
        if rest > 0 {
            let bits = UInt32(bytes[whole]) << 16 | (rest == 2 ? UInt32(bytes[whole + 1]) << 8 : 0)
            put(bits >> 18)
            put(bits >> 12)
            if rest == 2 { put(bits >> 6) }
            while padded, position % 4 != 0 {
                out[position] = UInt8(ascii: "=")
                position += 1
            }
        }
        return position
    }

    fileprivate static func decode(buffer text: UnsafeBufferPointer<UInt8>, _ values: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        // A character outside the alphabet has the value 0xFF, so its top bits stay in `seen`.
        var seen: UInt8 = 0
        var unused: UInt32 = 0
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { out, count in
                func value(_ position: Int) -> UInt32 {
                    let value = values[Int(text[position])]
                    seen |= value
                    return UInt32(value)
                }
                func put(_ byte: UInt32) {
                    out[count] = UInt8(truncatingIfNeeded: byte)
                    count += 1
                }
                let whole = text.count / 4 * 4
                for start in stride(from: 0, to: whole, by: 4) {
                    let bits =
                        value(start) << 18 | value(start + 1) << 12 | value(start + 2) << 6 | value(start + 3)
                    put(bits >> 16)
                    put(bits >> 8)
                    put(bits)
                }
                let rest = text.count - whole
                if rest > 0 {
                    let bits = value(whole) << 18 | value(whole + 1) << 12 | (rest == 3 ? value(whole + 2) << 6 : 0)
                    put(bits >> 16)
                    if rest == 3 { put(bits >> 8) }
                    unused = rest == 3 ? bits & 0xFF : bits & 0xFFFF
                }
            }
        }
        return seen < 0x40 && unused == 0 ? bytes : nil
    }
}
