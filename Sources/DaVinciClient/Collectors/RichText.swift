internal import Basics
internal import JSON

/// A text with links, which are written as `{{name}}`.
struct RichText {
    /// The parts of the text in order: `{text}`, and `{text, href, target}` for a link.
    let segments: JSONValue

    /// Reads `richContent` of a field; nil for a field without it.
    init?(_ field: JSONValue) {
        guard let rich = field["richContent"], let content = rich["content"]?.string else { return nil }
        // A dictionary, because a page may have thousands of placeholders and of links.
        let links = Dictionary((rich["replacements"]?.object ?? [:]).map { (Array($0.name.utf8), $0.value) }) { $1 }
        var (segments, plain, rest): ([JSONValue], String, Substring) = ([], "", content[...])
        while let open = rest.firstRange(ofText: "{{") {
            guard let close = rest[open.upperBound...].firstRange(ofText: "}}") else { break }
            let name = Array(rest[open.upperBound..<close.lowerBound].utf8)
            plain += rest[..<open.lowerBound]
            if let link = links[name], let text = link["value"]?.string {
                // rule: a link of a text is an address of the web | true
                if let href = link["href"]?.string, Self.isAddress(href) {
                    if !plain.isEmpty { segments.append(["text": .string(plain)]) }
                    plain = ""
                    let target: JSONValue = link["target"] == "_blank" ? "_blank" : "_self"
                    segments.append(["text": .string(text), "href": .string(href), "target": target])
                } else {
                    plain += text
                }
            } else {
                plain += rest[open.lowerBound..<close.upperBound]
            }
            rest = rest[close.upperBound...]
        }
        plain += rest
        if !plain.isEmpty { segments.append(["text": .string(plain)]) }
        self.segments = .array(segments)
    }

    /// True if a browser may follow the address: https, http or mailto, never a script.
    static func isAddress(_ text: String) -> Bool {
        // rule: an address has no blanks
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return false }
        let lowered = text.lowercased()
        return ["https://", "http://", "mailto:"].contains { lowered.starts(withText: $0) }
    }
}
