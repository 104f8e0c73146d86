internal import Basics

/// An event as one line of text: time, level, label, metadata, module, message.
enum TextLine {
    static func bytes(_ event: LogEvent, at time: Timestamp) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line.append(contentsOf: time.rfc3339.utf8.dropLast())
        line.append(contentsOf: "+0000 \(event.level.rawValue)".utf8)
        if !event.label.isEmpty { line.append(UInt8(ascii: " ")) }
        append(event.label, to: &line)
        line.append(UInt8(ascii: ":"))
        for (name, value) in event.metadata.inOrder {
            line.append(UInt8(ascii: " "))
            append(name, to: &line)
            line.append(UInt8(ascii: "="))
            append(value.description, to: &line)
        }
        line.append(contentsOf: " [".utf8)
        append(String(event.module), to: &line)
        line.append(contentsOf: "] ".utf8)
        append(event.message.description, to: &line)
        line.append(UInt8(ascii: "\n"))
        return line
    }

    /// Appends text in which nothing can begin another line or move what a terminal shows.
    private static func append(_ text: String, to line: inout [UInt8]) {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            line.append(contentsOf: text.utf8)
            return
        }
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09: line.append(contentsOf: #"\t"#.utf8)
            case 0x0A: line.append(contentsOf: #"\n"#.utf8)
            case 0x0D: line.append(contentsOf: #"\r"#.utf8)
            // C0, DEL and C1; separators of lines and paragraphs; marks that turn the direction of writing.
            case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                line.append(contentsOf: #"\u{\#(String(scalar.value, radix: 16))}"#.utf8)
            default: line.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
    }
}
