/// Converts between the two spellings of an ECDSA signature.
///
/// JOSE writes `r` and `s` side by side at full length (RFC 7518 section 3.4); OpenSSL wants a DER sequence of two
/// integers (RFC 3279 section 2.2.3).
enum ECDSASignature {
    /// The DER form; nil unless the length is exactly right and neither number is zero.
    static func der(fromRaw raw: [UInt8], _ curve: EllipticCurve) -> [UInt8]? {
        let half = curve.coordinateCount
        guard raw.count == 2 * half else { return nil }
        let first = raw[..<half].drop { $0 == 0 }
        let second = raw[half...].drop { $0 == 0 }
        guard let firstTop = first.first, let secondTop = second.first else { return nil }
        // An integer whose top bit is set gets a zero in front, or it would be negative.
        let firstCount = first.count + (firstTop >= 0x80 ? 1 : 0)
        let secondCount = second.count + (secondTop >= 0x80 ? 1 : 0)
        var der = [UInt8]()
        let contentCount = firstCount + secondCount + 4
        der.reserveCapacity(contentCount + 3)
        // The content has at most 2 × (2 + 66) bytes: only the sequence of P-521 needs the long form of a length.
        der.append(0x30)
        if contentCount >= 0x80 { der.append(0x81) }
        der.append(UInt8(contentCount))
        der.append(0x02)
        der.append(UInt8(firstCount))
        if firstTop >= 0x80 { der.append(0) }
        der.append(contentsOf: first)
        der.append(0x02)
        der.append(UInt8(secondCount))
        if secondTop >= 0x80 { der.append(0) }
        der.append(contentsOf: second)
        return der
    }

    /// The raw form of a signature that OpenSSL made; nil if the DER is not a sequence of two integers that fit the curve.
    static func raw(fromDER der: [UInt8], _ curve: EllipticCurve) -> [UInt8]? {
        guard der.count >= 3, der[0] == 0x30 else { return nil }
        var rest = der[1...]
        if rest.first == 0x81 { rest = rest.dropFirst() }
        guard let contentCount = rest.popFirst(), Int(contentCount) == rest.count else { return nil }
        guard let first = integer(&rest, count: curve.coordinateCount),
            let second = integer(&rest, count: curve.coordinateCount), rest.isEmpty
        else { return nil }
        return first + second
    }

    private static func integer(_ rest: inout ArraySlice<UInt8>, count: Int) -> [UInt8]? {
        guard rest.popFirst() == 0x02, let length = rest.popFirst().map(Int.init), length > 0, length <= rest.count
        else { return nil }
        let number = rest.prefix(length).drop { $0 == 0 }
        rest = rest.dropFirst(length)
        guard number.count <= count else { return nil }
        return [UInt8](repeating: 0, count: count - number.count) + number
    }
}
