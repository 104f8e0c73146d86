/// AM's consent page: its form or its script has the member `csrf`.
enum ConsentPage {
    /// True if a body contains `csrf` as a whole word, as in `name="csrf"` and `csrf: "…"`.
    ///
    /// Pages of gateways have other names for such a token (`csrf_token`, `csrf-token`).
    static func isOne(_ body: [UInt8]) -> Bool {
        let word = Array("csrf".utf8)
        guard body.count >= word.count else { return false }
        return (0...body.count - word.count).contains { start in
            guard body[start] == word[0], body[start..<start + word.count].elementsEqual(word) else { return false }
            let end = start + word.count
            return (start == 0 || !isWord(body[start - 1])) && (end == body.count || !isWord(body[end]))
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
