internal import Basics

/// The facts read from a script for AM's own login page; the script is not run, shown or logged.
struct PageScript {
    private let text: String

    init(_ text: String) {
        self.text = text
    }

    /// The address that the script draws as a QR code: the first quoted piece that is an address for authenticator
    /// apps.
    ///
    /// Pieces between single quotes are tried before pieces between double quotes.
    var uri: String? {
        for piece in pieces where ["otpauth", "pushauth"].contains(where: { piece.starts(withText: $0) }) {
            let plain = Self.unescaped(piece)
            if Self.isForAuthenticators(plain) { return plain }
        }
        return nil
    }

    /// True if the script shows recovery codes.
    var showsRecoveryCodes: Bool { text.lowercased().firstRange(ofText: "recovery codes") != nil }

    /// The recovery codes: the lines that contain one quoted word and nothing else.
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

    /// The name of the device, read from `<em>`; nil if the script names none.
    var deviceName: String? {
        guard let start = text.firstRange(ofText: "<em>"),
            let end = text[start.upperBound...].firstRange(ofText: "</em>")
        else { return nil }
        return Self.unescaped(text[start.upperBound..<end.lowerBound])
    }

    /// True if a text is an address that authenticator apps read.
    static func isForAuthenticators(_ text: String) -> Bool {
        text.hasPrefix("otpauth://") || text.hasPrefix("pushauth://")
    }

    /// The script split at single quotes, then split at double quotes; quoted and unquoted pieces are both included.
    private var pieces: [Substring] {
        text.split(byte: "'") + text.split(byte: "\"")
    }

    /// A JavaScript text with its escapes decoded: `\xHH`, `\uHHHH`, `\n`, and a backslash before any other character.
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
