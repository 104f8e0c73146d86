import Basics

/// The `Accept-Language` field: read from a browser, written for a provider (RFC 9110 section 12.5.4).
package enum AcceptLanguage {
    /// The languages that a browser prefers, best first.
    ///
    /// Made for forwarding: anything but a plain language tag (letters, digits, hyphens, at most 35 characters) is
    /// dropped, as are `*`, refused languages (`q=0`) and repetitions, so that no header text passes through.
    /// - Parameters:
    ///   - field: The field value; several fields joined with commas. At most the first 1024 bytes are read.
    ///   - limit: The largest number of tags returned.
    /// - Returns: Tags as the browser wrote them.
    package static func parse(_ field: String, limit: Int = 8) -> [String] {
        var found: [(tag: String, quality: Int)] = []
        let text = field.utf8.count <= 1024 ? field : String(decoding: field.utf8.prefix(1024), as: UTF8.self)
        for part in text.split(byte: ",").prefix(64) {
            let pieces = part.split(byte: ";", omittingEmptySubsequences: false)
            guard let first = pieces.first else { continue }
            let tag = withoutBlanks(first)
            guard isTag(tag), pieces.count <= 2, let quality = quality(pieces.dropFirst().first), quality > 0,
                !found.contains(where: { $0.tag.lowercased() == tag.lowercased() })
            else { continue }
            found.append((tag, quality))
        }
        // A stable sort: equal preferences keep the order in which they were written.
        return found.enumerated().sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
            .prefix(limit).map(\.element.tag)
    }

    /// The field value for languages in order of preference.
    ///
    /// Each tag is followed by its bare language as a fall-back, unless the bare language is in the list itself or was
    /// already written.
    ///
    /// The first has no `q`; each further entry is 0.1 lower, down to 0.1. `["en-GB"]` gives `en-GB, en;q=0.9`.
    /// Tags that are no plain language tags are left out. Empty for no languages.
    package static func build(_ tags: [String]) -> String {
        var entries: [String] = []
        // A bare language in the list keeps the place that the browser gave it.
        var listed = Set(tags.map { $0.lowercased() })
        func add(_ tag: String) {
            let tenths = max(10 - entries.count, 1)
            entries.append(entries.isEmpty ? tag : "\(tag);q=0.\(tenths)")
        }
        for tag in tags where isTag(tag) {
            add(tag)
            let bare = Substring(tag.utf8.prefix { $0 != UInt8(ascii: "-") })
            if listed.insert(bare.lowercased()).inserted { add(String(bare)) }
        }
        return entries.joined(separator: ", ")
    }

    /// The field value for two lists: first the languages of `first`, then those of `second`, each once, with falling
    /// weights.
    ///
    /// - Parameters:
    ///   - first: A field value; its languages come first, even if those of the other have higher weights.
    ///   - second: A field value.
    /// - Returns: A field value in the form of `build(_:)`.
    package static func build(_ first: String, before second: String) -> String {
        var tags: [String] = []
        for tag in parse(first) + parse(second)
        where !tags.contains(where: { $0.lowercased() == tag.lowercased() }) { tags.append(tag) }
        return build(tags)
    }

    /// True if the text is a plain language tag: subtags of 1 to 8 letters or digits, the first of letters only.
    package static func isTag(_ text: String) -> Bool {
        guard text.utf8.count <= 35 else { return false }
        let subtags = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return subtags.enumerated().allSatisfy { position, subtag in
            (1...8).contains(subtag.count)
                && subtag.allSatisfy { $0.isLetter || position > 0 && $0.isDigit }
        }
    }

    /// The weight in thousandths; 1000 without a parameter, nil when it is malformed.
    private static func quality(_ parameter: Substring?) -> Int? {
        guard let parameter else { return 1000 }
        let text = withoutBlanks(parameter).lowercased()
        guard text.starts(withText: "q=") else { return nil }
        let digits = text.utf8.dropFirst(2)
        let whole = digits.prefix { $0 != UInt8(ascii: ".") }
        let fraction = digits.dropFirst(whole.count + 1)
        guard whole.count == 1, let ones = whole.first, ones == UInt8(ascii: "0") || ones == UInt8(ascii: "1"),
            fraction.count <= 3, fraction.allSatisfy(\.isDigit)
        else { return nil }
        let thousandths = Substring(fraction) + String(repeating: "0", count: 3 - fraction.count)
        guard let value = Int(thousandths), ones == UInt8(ascii: "0") || value == 0 else { return nil }
        return ones == UInt8(ascii: "1") ? 1000 : value
    }

    private static func withoutBlanks(_ text: Substring) -> String {
        String(decoding: text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }, as: UTF8.self)
    }
}
