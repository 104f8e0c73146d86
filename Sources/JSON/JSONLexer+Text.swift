extension JSONLexer {
    /// The text of a token that `string()` has checked.
    @inline(__always)
    func decode(_ text: Text) -> String {
        if text.escaped { return String(decoding: unescaped(text), as: UTF8.self) }
        return String(decoding: UnsafeBufferPointer(rebasing: bytes[text.range]), as: UTF8.self)
    }

    /// The bytes of a checked token with its escapes resolved.
    func unescaped(_ text: Text) -> [UInt8] {
        var out = [UInt8]()
        out.reserveCapacity(text.range.count)
        var index = text.range.lowerBound
        while index < text.range.upperBound {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\") else {
                out.append(byte)
                index += 1
                continue
            }
            let kind = bytes[index + 1]
            index += 2
            switch kind {
            case UInt8(ascii: "b"): out.append(0x08)
            case UInt8(ascii: "f"): out.append(0x0C)
            case UInt8(ascii: "n"): out.append(0x0A)
            case UInt8(ascii: "r"): out.append(0x0D)
            case UInt8(ascii: "t"): out.append(0x09)
            case UInt8(ascii: "u"): Self.append(scalar(&index), to: &out)
            default: out.append(kind)
            }
        }
        return out
    }

    /// The scalar of `XXXX` or `XXXX\uXXXX` at the index, which is moved past it.
    private func scalar(_ index: inout Int) -> UInt32 {
        let unit = unit(index)
        index += 4
        guard unit & 0xFC00 == 0xD800 else { return unit }
        let trail = self.unit(index + 2)
        index += 6
        return 0x10000 + (unit & 0x3FF) << 10 + (trail & 0x3FF)
    }

    private func unit(_ index: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 << 4 | UInt32(Self.hexadecimalDigit(bytes[index + $1]) ?? 0) }
    }

    private static func append(_ scalar: UInt32, to out: inout [UInt8]) {
        switch scalar {
        case ..<0x80: out.append(UInt8(scalar))
        case ..<0x800:
            out.append(UInt8(0xC0 | scalar >> 6))
            out.append(UInt8(0x80 | scalar & 0x3F))
        case ..<0x10000:
            out.append(UInt8(0xE0 | scalar >> 12))
            out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            out.append(UInt8(0x80 | scalar & 0x3F))
        default:
            out.append(UInt8(0xF0 | scalar >> 18))
            out.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            out.append(UInt8(0x80 | scalar & 0x3F))
        }
    }
}
