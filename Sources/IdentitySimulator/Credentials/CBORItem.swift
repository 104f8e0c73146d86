/// An item of CBOR (RFC 8949), as far as authenticators use it: definite lengths, no floats.
indirect enum CBORItem: Hashable {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case list([CBORItem])
    case map([CBORItem: CBORItem])

    /// The value under a text key.
    subscript(name: String) -> CBORItem? { self[.text(name)] }

    /// The value under a key.
    subscript(key: CBORItem) -> CBORItem? {
        if case .map(let pairs) = self { pairs[key] } else { nil }
    }

    var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    var int: Int? {
        if case .int(let value) = self { value } else { nil }
    }

    /// Parses one item and removes it from the start of the bytes; nil if they do not begin with an item.
    static func take(from bytes: inout ArraySlice<UInt8>, depth: Int = 0) -> CBORItem? {
        guard depth < 8, let first = bytes.popFirst() else { return nil }
        var value = Int(first & 0x1F)
        if value >= 24 {
            guard value <= 26, bytes.count >= 1 << (value - 24) else { return nil }
            let count = 1 << (value - 24)
            value = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes.removeFirst(count)
        }
        switch first >> 5 {
        case 0: return .int(value)
        case 1: return .int(-1 - value)
        case 2, 3:
            guard value <= bytes.count else { return nil }
            let content = Array(bytes.prefix(value))
            bytes.removeFirst(value)
            return first >> 5 == 2 ? .bytes(content) : String(validating: content, as: UTF8.self).map { .text($0) }
        case 4:
            var items: [CBORItem] = []
            for _ in 0..<value {
                guard let item = take(from: &bytes, depth: depth + 1) else { return nil }
                items.append(item)
            }
            return .list(items)
        case 5:
            var pairs: [CBORItem: CBORItem] = [:]
            for _ in 0..<value {
                guard let key = take(from: &bytes, depth: depth + 1), pairs[key] == nil,
                    let item = take(from: &bytes, depth: depth + 1)
                else { return nil }
                pairs[key] = item
            }
            return .map(pairs)
        default: return nil
        }
    }
}
