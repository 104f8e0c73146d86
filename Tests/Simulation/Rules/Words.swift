/// The words of a text that could be a name or a token.
enum Words {
    /// All of five characters and more.
    static func of(_ bytes: some Sequence<UInt8>) -> [String] {
        var words: [String] = []
        var word: [UInt8] = []
        func end() {
            if word.count >= 5 { words.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for byte in bytes { if isPart(byte) { word.append(byte) } else { end() } }
        end()
        return words
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x5A || byte >= 0x61 && byte <= 0x7A
            || byte == 0x2D || byte == 0x2E || byte == 0x5F || byte == 0x2A
    }
}
