import Basics

/// The stored form of one token: the bytes that its base64url stands for, a quarter less than the text.
///
/// A JWT is a few parts of base64url between dots, and many opaque tokens are one part. The decoder takes only the one
/// spelling that the encoder writes, so the text comes back byte for byte; a token with any other part is kept as text.
enum PackedToken {
    /// A JWE in compact form has five parts.
    private static let mostParts = 5

    /// Writes the number of parts and the bytes of each; 0 and the text for a token that has no such parts.
    static func write(_ token: Secret<String>, into writer: inout RecordWriter) {
        let text = token.reveal()
        guard let parts = parts(of: text) else {
            writer.write(UInt64(0))
            writer.write(text)
            return
        }
        writer.write(UInt64(parts.count))
        for part in parts { writer.write(part) }
    }

    /// Reads what `write` wrote; in a record of version 1 the text.
    ///
    /// - Throws: `.malformed`.
    static func read(from reader: inout RecordReader) throws(RecordError) -> Secret<String> {
        guard reader.version > 1 else { return Secret(try reader.string()) }
        let count = try reader.unsigned()
        guard count > 0 else { return Secret(try reader.string()) }
        // rule: a packed token has as many parts as one may have
        guard count <= UInt64(mostParts) else { throw .malformed }
        var (parts, room) = ([ArraySlice<UInt8>](), 0)
        for _ in 0..<count {
            let part = try reader.byteSlice()
            parts.append(part)
            room += (part.count + 2) / 3 * 4 + 1
        }
        return Secret(text(of: parts, room))
    }

    private static func parts(of text: String) -> [[UInt8]]? {
        var text = text
        return text.withUTF8 { utf8 in
            var parts: [[UInt8]] = []
            for part in utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
                guard parts.count < mostParts, let bytes = Base64URL.decode(borrowed: .init(rebasing: part)) else {
                    return nil
                }
                parts.append(bytes)
            }
            return parts
        }
    }

    /// Writes the parts into the text itself: a token is read for each call of an API.
    private static func text(of parts: [ArraySlice<UInt8>], _ room: Int) -> String {
        String(unsafeUninitializedCapacity: room) { out in
            var filled = 0
            for (place, part) in parts.enumerated() {
                if place > 0 {
                    out[filled] = UInt8(ascii: ".")
                    filled += 1
                }
                filled += part.withUnsafeBufferPointer { bytes in
                    Base64URL.encode(borrowed: bytes, into: .init(rebasing: out[filled...]))
                }
            }
            return filled
        }
    }
}
