/// Base64url without padding (RFC 4648 section 5), the form of tokens, cookies and keys; decoding is strict.
public enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values = Base64.table(alphabet)

    /// Encodes bytes without padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, alphabet: alphabet, padded: false)
    }

    /// Decodes the one canonical spelling.
    ///
    /// - Returns: The bytes, or nil for padding, white space, another alphabet, an impossible length or unused bits that
    ///   are not zero: a second spelling of the same bytes would be a second token for the same signature.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        Base64.decode(text, values: values)
    }

    /// Decodes the one canonical spelling, see `decode(_:)` for bytes.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(text.utf8)
    }
}

/// Standard base64 with padding (RFC 4648 section 4), for Basic authentication and provider values.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values = table(alphabet)

    /// Encodes bytes with padding.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        encode(bytes, alphabet: alphabet, padded: true)
    }

    /// Decodes canonical base64 with padding; nil for anything else.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
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

    static func encode(_ bytes: some Collection<UInt8>, alphabet: [UInt8], padded: Bool) -> String {
        let capacity = (bytes.count + 2) / 3 * 4
        return String(unsafeUninitializedCapacity: capacity) { out in
            var position = 0
            var bits: UInt32 = 0
            var held = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    out[position] = alphabet[Int(bits >> UInt32(held) & 0x3F)]
                    position += 1
                }
            }
            if held > 0 {
                out[position] = alphabet[Int(bits << UInt32(6 - held) & 0x3F)]
                position += 1
            }
            while padded, position % 4 != 0 {
                out[position] = UInt8(ascii: "=")
                position += 1
            }
            return position
        }
    }

    static func decode(_ text: some Collection<UInt8>, values: [UInt8]) -> [UInt8]? {
        let count = text.count
        guard count % 4 != 1 else { return nil }
        var bits: UInt32 = 0
        var held = 0
        var bytes = [UInt8]()
        bytes.reserveCapacity(count * 3 / 4)
        for character in text {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            if held >= 8 {
                held -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
            }
        }
        guard bits & (1 << UInt32(held) - 1) == 0 else { return nil }
        return bytes
    }
}
