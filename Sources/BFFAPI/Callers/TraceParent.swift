internal import HTTPServer

/// The W3C trace context of a request (Trace Context, section 3.2).
enum TraceParent {
    /// The `traceparent` to pass on, in the form of version 00.
    ///
    /// - Returns: nil when there is none, several, or one that is not well-formed: the provider then starts its own.
    static func of(_ request: ServerRequest) -> String? {
        guard let text = request.headers.single("traceparent") else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, bytes[2] == dash, bytes[35] == dash, bytes[52] == dash,
            let version = hex(bytes[0..<2]), version != 0xFF, hex(bytes[53..<55]) != nil,
            isID(bytes[3..<35]), isID(bytes[36..<52])
        else { return nil }
        // A later version may have more after these fields; what it has is not for us.
        guard bytes.count == 55 || version > 0 && bytes[55] == dash else { return nil }
        return "00-" + String(decoding: bytes[3..<55], as: UTF8.self)
    }

    private static let dash = UInt8(ascii: "-")

    /// Lower-case hexadecimal that is not all zeros.
    private static func isID(_ digits: ArraySlice<UInt8>) -> Bool {
        digits.allSatisfy { value($0) != nil } && digits.contains { $0 != UInt8(ascii: "0") }
    }

    private static func hex(_ digits: ArraySlice<UInt8>) -> UInt8? {
        var number: UInt8 = 0
        for digit in digits {
            guard let value = value(digit) else { return nil }
            number = number << 4 | value
        }
        return number
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
