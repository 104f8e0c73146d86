internal import Basics

/// What can be read from a script for AM's own login page; nothing of it is run, shown or logged.
struct PageScript {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The address that a script draws as a QR code: the first piece between quotes that is one for authenticators, of those
    /// between single quotes before the others.
    var uri: String? {
        for piece in pieces where ["otpauth", "pushauth"].contains(where: { piece.starts(withText: $0) }) {
            let plain = Self.unescaped(piece)
            if Self.isForAuthenticators(plain) { return plain }
        }
        return nil
    }

    /// Whether it shows recovery codes.
    var showsRecoveryCodes: Bool { text.lowercased().firstRange(ofText: "recovery codes") != nil }

    /// The recovery codes: the lines that hold one quoted word and nothing else.
    var recoveryCodes: [String] {
        text.split(byte: "\n").compactMap { line in
            let parts = line.split(byte: "\"", omittingEmptySubsequences: false)
            // rule: a line of recovery codes has one
            guard parts.count == 3,
                // rule: a recovery code begins its line
                parts[0].allSatisfy(\.isWhitespace)
            else { return nil }
            let word = Self.trimmed(Self.unescaped(parts[1]))
            let isCode = word.utf8.count >= 6 && word.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
            return isCode ? word : nil
        }
    }

    /// What the device was named, in `<em>`; nil when nothing is said.
    var deviceName: String? {
        guard let start = text.firstRange(ofText: "<em>"),
            let end = text[start.upperBound...].firstRange(ofText: "</em>")
        else { return nil }
        return Self.unescaped(text[start.upperBound..<end.lowerBound])
    }

    /// Whether an address is one that authenticator apps read.
    static func isForAuthenticators(_ text: String) -> Bool {
        text.hasPrefix("otpauth://") || text.hasPrefix("pushauth://")
    }

    /// What stands between two quotes of one kind, or between one and an end of the script; what is quoted is among it.
    private var pieces: [Substring] {
        text.split(byte: "'") + text.split(byte: "\"")
    }

    /// A JavaScript text without its escapes: `\xHH`, `\uHHHH`, `\n` and any other character after a backslash.
    private static func unescaped(_ text: Substring) -> String {
        var result = ""
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\", let kind = rest.popFirst() else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch kind {
            case "x", "u":
                let digits = rest.prefix(kind == "x" ? 2 : 4)
                guard let value = UInt32(String(Substring(digits)), radix: 16), let scalar = Unicode.Scalar(value)
                else {
                    result.unicodeScalars.append(kind)
                    continue
                }
                result.unicodeScalars.append(scalar)
                rest = rest.dropFirst(digits.count)
            case "n": result.unicodeScalars.append("\n")
            default: result.unicodeScalars.append(kind)
            }
        }
        return result
    }

    private static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
