internal import Basics

/// An event as one line of text: time, level, label, message, metadata, module.
enum TextLine {
    static func bytes(_ event: LogEvent, at time: Timestamp) -> [UInt8] {
        var line = head(of: event, at: time)
        append(event.message.description, to: &line)
        for (name, value) in event.metadata.inOrder {
            line.append(UInt8(ascii: " "))
            append(name, to: &line)
            line.append(UInt8(ascii: "="))
            appendValue(value.description, to: &line)
        }
        line.append(contentsOf: " [".utf8)
        append(String(event.module), to: &line)
        line.append(contentsOf: "]\n".utf8)
        return line
    }

    /// An event in JSON behind the head that all lines of text have, which says what the line is.
    static func markedJSON(_ event: LogEvent, at time: Timestamp) -> [UInt8] {
        head(of: event, at: time) + JSONLine.bytes(event, at: time)
    }

    /// `2026-01-01T00:00:00+0000 info cloakroom: `, without the label where there is none.
    private static func head(of event: LogEvent, at time: Timestamp) -> [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        line.append(contentsOf: time.rfc3339.utf8.dropLast())
        line.append(contentsOf: "+0000 \(event.level.rawValue)".utf8)
        if !event.label.isEmpty { line.append(UInt8(ascii: " ")) }
        append(event.label, to: &line)
        line.append(contentsOf: ": ".utf8)
        return line
    }

    /// Appends a value: as it is where its end cannot be mistaken, else in quotes.
    ///
    /// Within quotes `"` and `\` have a `\` in front, so that each value reads back as one text only.
    private static func appendValue(_ text: String, to line: inout [UInt8]) {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar != " " && scalar != "\"" && scalar != "\\" && scalar != "=" && escape(of: scalar) == nil
        }
        if isPlain, !text.isEmpty { return append(text, to: &line) }
        line.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { line.append(UInt8(ascii: "\\")) }
            append(scalar, to: &line)
        }
        line.append(UInt8(ascii: "\""))
    }

    /// Appends text in which nothing can begin another line or move what a terminal shows.
    private static func append(_ text: String, to line: inout [UInt8]) {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
            line.append(contentsOf: text.utf8)
            return
        }
        for scalar in text.unicodeScalars { append(scalar, to: &line) }
    }

    private static func append(_ scalar: Unicode.Scalar, to line: inout [UInt8]) {
        if let escape = escape(of: scalar) {
            line.append(contentsOf: escape.utf8)
        } else {
            line.append(contentsOf: UTF8.encode(scalar) ?? .init())
        }
    }

    /// The escape for a character that may not occur unescaped in a line.
    private static func escape(of scalar: Unicode.Scalar) -> String? {
        switch scalar.value {
        case 0x09: #"\t"#
        case 0x0A: #"\n"#
        case 0x0D: #"\r"#
        // C0, DEL and C1; separators of lines and paragraphs; marks that turn the direction of writing.
        case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
            #"\u{\#(String(scalar.value, radix: 16))}"#
        default: nil
        }
    }
}
