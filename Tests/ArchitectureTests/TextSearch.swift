import Glibc

/// A line of a text.
struct TextLine {
    /// From 1.
    let number: Int
    let text: String
}

extension String {
    /// The lines that contain a word, each once and in order.
    ///
    /// Looks at bytes: comparing characters would take a minute for the whole repository in a debug build.
    func lines(containing words: [String]) -> [TextLine] {
        var found: [Int: TextLine] = [:]
        for word in words {
            for line in lines(containing: word) { found[line.number] = line }
        }
        return found.values.sorted { $0.number < $1.number }
    }

    private func lines(containing word: String) -> [TextLine] {
        withCString { text in
            let newline = CChar(bitPattern: UInt8(ascii: "\n"))
            var found: [TextLine] = []
            var number = 1
            var counted = text
            while let position = strstr(counted, word) {
                var first = UnsafePointer(position)
                while first > text, first[-1] != newline { first -= 1 }
                while counted < first {
                    if counted.pointee == newline { number += 1 }
                    counted += 1
                }
                let length = strcspn(first, "\n")
                let bytes = UnsafeRawBufferPointer(start: first, count: length)
                found.append(TextLine(number: number, text: String(decoding: bytes, as: UTF8.self)))
                counted = first + length
            }
            return found
        }
    }
}
