package import Basics

/// A token as it is stored.
///
/// The parts of a JWT are base64url, which takes four characters for three bytes. A token of such parts is stored as the
/// bytes that they spell, and its text is spelled again where it is asked for. Any other token is stored as its text.
package struct PackedToken: Sendable, Equatable {
    /// The most parts of a token that is packed; an encrypted JWT has five.
    private static let partLimit = 8

    /// The number of parts, the size of each in two bytes, and the parts; or 0 and a text.
    private let bytes: ArraySlice<UInt8>

    /// Packs a token.
    package init(_ token: Secret<String>) {
        let text = token.reveal()
        bytes = Self.packed(text) ?? [0] + text.utf8
    }

    /// The packed parts of a text; nil if they are not base64url, or take no less than the text.
    private static func packed(_ text: String) -> ArraySlice<UInt8>? {
        let parts = text.split(byte: ".", maxSplits: partLimit, omittingEmptySubsequences: false)
        guard parts.count <= partLimit else { return nil }
        var packed = [UInt8(parts.count)]
        var bodies: [UInt8] = []
        for part in parts {
            // Decoding takes the one canonical spelling alone, so that the text comes back as it was.
            guard let body = Base64URL.decode(part), let size = UInt16(exactly: body.count) else { return nil }
            packed += [UInt8(size >> 8), UInt8(truncatingIfNeeded: size)]
            bodies += body
        }
        packed += bodies
        return packed.count <= text.utf8.count ? packed[...] : nil
    }

    /// The token as the provider sent it.
    package var token: Secret<String> {
        bytes.withUnsafeBufferPointer { bytes in
            let partCount = Int(bytes[0])
            guard partCount > 0 else { return Secret(String(decoding: bytes.dropFirst(), as: UTF8.self)) }
            var start = 1 + 2 * partCount
            // Four characters for three bytes, and for each part its dot and the rest of its last four.
            let text = String(unsafeUninitializedCapacity: (bytes.count - start) / 3 * 4 + 5 * partCount) { out in
                var count = 0
                for part in 0..<partCount {
                    if part > 0 {
                        out[count] = UInt8(ascii: ".")
                        count += 1
                    }
                    let size = Self.size(of: part, in: bytes)
                    count += Base64URL.encode(
                        borrowed: UnsafeBufferPointer(rebasing: bytes[start..<start + size]),
                        into: UnsafeMutableBufferPointer(rebasing: out[count...]))
                    start += size
                }
                return count
            }
            return Secret(text)
        }
    }

    private static func size(of part: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        Int(bytes[1 + 2 * part]) << 8 | Int(bytes[2 + 2 * part])
    }

    /// True if bytes are of the form that `bytes` has.
    private static func isForm(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first else { return false }
        let partCount = Int(first)
        guard partCount > 0 else {
            let text = UnsafeBufferPointer(rebasing: bytes.dropFirst())
            return String(validating: text, as: UTF8.self) != nil
        }
        let head = 1 + 2 * partCount
        guard partCount <= partLimit, head <= bytes.count else { return false }
        return (0..<partCount).reduce(head) { $0 + size(of: $1, in: bytes) } == bytes.count
    }
}

extension PackedToken {
    /// The size of the stored form.
    package var storedByteCount: Int { bytes.count + 4 }

    /// Writes the stored form.
    package func write(into writer: inout RecordWriter) {
        writer.write(bytes)
    }

    /// Reads what `write(into:)` wrote; the token keeps the bytes of the record, and copies nothing.
    ///
    /// - Throws: `.malformed` for anything else.
    package init(from reader: inout RecordReader) throws(RecordError) {
        bytes = try reader.byteSlice()
        guard bytes.withUnsafeBufferPointer(Self.isForm) else { throw .malformed }
    }
}
