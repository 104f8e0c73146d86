/// Writes CBOR (RFC 8949) as authenticators do: definite lengths, the shortest heads.
public enum CBOR: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByArrayLiteral
{
    /// A whole number.
    case int(Int)
    /// A byte string.
    case bytes([UInt8])
    /// A text.
    case text(String)
    /// A list.
    case list([CBOR])
    /// Pairs in the order given.
    case map([(CBOR, CBOR)])

    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// A list.
    public init(arrayLiteral elements: CBOR...) { self = .list(elements) }
    /// Pairs in the order given.
    public init(dictionaryLiteral elements: (CBOR, CBOR)...) { self = .map(elements) }

    /// The bytes of the item.
    public var encoded: [UInt8] {
        switch self {
        case .int(let value): value < 0 ? Self.head(1, -1 - value) : Self.head(0, value)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .list(let items): Self.head(4, items.count) + items.flatMap(\.encoded)
        case .map(let pairs): Self.head(5, pairs.count) + pairs.flatMap { $0.encoded + $1.encoded }
        }
    }

    private static func head(_ major: UInt8, _ value: Int) -> [UInt8] {
        let first = major << 5
        switch value {
        case ..<24: return [first | UInt8(value)]
        case ..<0x100: return [first | 24, UInt8(value)]
        case ..<0x1_0000: return [first | 25] + bytes(value, 2)
        default: return [first | 26] + bytes(value, 4)
        }
    }

    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
}
