/// AM's error page for browsers: HTML with a script that names the OAuth error.
enum AuthorizeErrorPage {
    /// The error code in `error: { …, message: "redirect_uri_mismatch" }`; empty when the page has none.
    ///
    /// It consists of at most 64 lower-case letters and underscores, because it goes into a log line.
    static func word(in body: [UInt8]) -> String {
        var rest = body[...]
        while let end = end(of: "message", in: rest) {
            rest = rest[end...]
            let colon = rest.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: " ") }
            guard colon.first == UInt8(ascii: ":") else { continue }
            let quote = colon.dropFirst().drop { $0 == UInt8(ascii: " ") }
            guard quote.first == UInt8(ascii: "\"") else { continue }
            let value = quote.dropFirst()
            let word = value.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
            if (1...64).contains(word.count), value.dropFirst(word.count).first == UInt8(ascii: "\"") {
                return String(decoding: word, as: UTF8.self)
            }
        }
        return ""
    }

    private static func end(of word: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
        word.withUTF8Buffer { word in
            var at = bytes.startIndex
            while at + word.count <= bytes.endIndex {
                if bytes[at..<(at + word.count)].elementsEqual(word) { return at + word.count }
                at += 1
            }
            return nil
        }
    }
}
