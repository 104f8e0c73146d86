/// Reads one member of a CBOR map (RFC 8949), with bounds.
///
/// Authenticators write the canonical form of CTAP2, without indefinite lengths.
struct CBORReader {
    /// The deepest nesting: an attestation with its certificates has four levels.
    private static let deepest = 8

    private let bytes: ArraySlice<UInt8>
    private var position: Int

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// The byte string under a text key of a map that takes up the given bytes.
    ///
    /// - Parameters:
    ///   - name: The key, in ASCII.
    ///   - bytes: The map and nothing else.
    /// - Returns: The byte string; nil if the bytes are no such map, the key is missing or occurs twice, or its value
    ///   is no byte string.
    static func byteString(_ name: String, inMap bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var reader = CBORReader(bytes)
        guard let map = reader.head(), map.major == 5 else { return nil }
        var found: ArraySlice<UInt8>?
        for _ in 0..<map.argument {
            let key = reader.position
            guard reader.skip(depth: 1) else { return nil }
            let isWanted = CBORReader(bytes[key..<reader.position]).text?.elementsEqual(name.utf8) ?? false
            let value = reader.position
            guard reader.skip(depth: 1) else { return nil }
            guard isWanted else { continue }
            var own = CBORReader(bytes[value..<reader.position])
            guard found == nil, let head = own.head(), head.major == 2 else { return nil }
            found = own.bytes[own.position...]
        }
        return reader.position == bytes.endIndex ? found : nil
    }

    /// The bytes as a CBOR text; nil when they are another item.
    private var text: ArraySlice<UInt8>? {
        var reader = self
        guard let head = reader.head(), head.major == 3 else { return nil }
        return bytes[reader.position...]
    }

    /// Reads the head of an item: its major type, and its value, length or count.
    ///
    /// A length or count is never more than the number of bytes left, so that a loop up to it stays within the input.
    private mutating func head() -> (major: UInt8, argument: Int)? {
        guard let first = next() else { return nil }
        let major = first >> 5
        var argument = UInt64(first & 0x1F)
        switch argument {
        case ..<24: break
        case 24...27:
            let count = 1 << Int(argument - 24)
            argument = 0
            for _ in 0..<count {
                guard let byte = next() else { return nil }
                argument = argument << 8 | UInt64(byte)
            }
        default: return nil
        }
        if 2...5 ~= major {
            guard argument <= UInt64(bytes.endIndex - position) else { return nil }
            return (major, Int(argument))
        }
        return (major, 0)
    }

    private mutating func next() -> UInt8? {
        guard position < bytes.endIndex else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Skips one item; false if no whole item is left, or it is nested too deeply.
    private mutating func skip(depth: Int) -> Bool {
        guard depth <= Self.deepest, let head = head() else { return false }
        switch head.major {
        case 2, 3: position += head.argument
        case 4, 5:
            for _ in 0..<(head.major == 5 ? 2 * head.argument : head.argument) {
                guard skip(depth: depth + 1) else { return false }
            }
        case 6: return skip(depth: depth + 1)
        default: break
        }
        return true
    }
}
