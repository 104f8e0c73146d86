package import Basics
package import YAML

/// One mapping of the file; it learns its keys from the calls that read them, so that no list of keys can be out of
/// date.
package final class Section {
    package let path: String
    package let context: ReadingContext
    /// The line where the mapping begins, or where the section begins that lacks it.
    package let line: Int
    private let pattern: String
    private let pairs: [(key: String, keyLine: Int, value: YAMLNode)]
    private var known: [String] = []
    /// True if the file has the mapping.
    package let exists: Bool

    /// Makes a section of a mapping; nil for an absent one, and any node other than a mapping is reported.
    package init(_ node: YAMLNode?, path: String, pattern: String, line: Int, context: ReadingContext) {
        self.path = path
        self.pattern = pattern
        self.line = line
        self.context = context
        exists = node?.mapping != nil
        pairs = (node?.mapping ?? []).compactMap { pair in
            guard let name = pair.key.scalar else {
                context.report(path, line: pair.key.mark.line, "expected a plain word as key")
                return nil
            }
            return (name.text, pair.key.mark.line, pair.value)
        }
        if node != nil, !exists { context.report(path, line: line, "expected keys with values") }
    }

    /// The path of a key of this section.
    package func key(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    private func find(_ name: String, pattern: String? = nil) -> (value: YAMLNode, line: Int)? {
        known.append(name)
        context.note(self.pattern.isEmpty ? name : "\(self.pattern).\(pattern ?? name)")
        guard let pair = pairs.first(where: { $0.key == name }) else { return nil }
        context.note(key(name), line: pair.keyLine)
        return (pair.value, pair.keyLine)
    }

    // MARK: Values

    /// The value of a key; nil when the key is absent, or cannot be read, which is reported.
    package func value<Value>(_ name: String, _ form: ValueForm<Value>) -> Value? {
        find(name).flatMap { parse($0.value, key(name), $0.line, form) }
    }

    /// Replaces a default by the value of a key, if the key is present and readable.
    package func read<Value>(_ name: String, _ form: ValueForm<Value>, into target: inout Value) {
        if let value = value(name, form) { target = value }
    }

    /// The value of a required key; nil when it is absent or cannot be read, both of which are reported.
    package func required<Value>(_ name: String, _ form: ValueForm<Value>) -> Value? {
        guard contains(name) else {
            _ = find(name)
            context.report(key(name), line: line, "is missing; expected \(form.expected)")
            return nil
        }
        return value(name, form)
    }

    /// The distinct values of a list; a single value may be written without brackets.
    package func list<Value>(_ name: String, _ form: ValueForm<Value>) -> [Value]? {
        guard let (node, line) = find(name) else { return nil }
        guard let sequence = node.sequence else {
            if let text = node.scalar?.text, isSeveral(text, form) {
                context.report(key(name), line: line, "expected \(form.expected); several are a list: [a, b]")
                return nil
            }
            return parse(node, key(name), line, form, else: "expected a list").map { [$0] }
        }
        var values: [Value] = []
        var texts = Set<String>()
        for (place, item) in sequence.enumerated() {
            let (key, line) = ("\(key(name))[\(place)]", item.mark.line)
            guard let value = parse(item, key, line, form) else { continue }
            if let text = item.scalar?.text, !texts.insert(text).inserted {
                context.report(key, line: line, "is listed twice")
            }
            values.append(value)
        }
        return values
    }

    /// True if a text in place of a list was meant as several values: it has a comma, or blanks that no single value
    /// may have.
    private func isSeveral<Value>(_ text: String, _ form: ValueForm<Value>) -> Bool {
        text.utf8.contains(UInt8(ascii: ",")) || text.utf8.contains(UInt8(ascii: " ")) && form.parse(text) == nil
    }

    /// A list of at least one value, for rules that an empty list would let every caller meet, or none.
    package func someOf<Value>(_ name: String, _ form: ValueForm<Value>) -> [Value]? {
        guard let values = list(name, form) else { return nil }
        guard values.isEmpty else { return values }
        if !context.isReported(key(name)) { context.report(key(name), "expected at least one value") }
        return nil
    }

    /// Texts under names that the user chose; empty when the key is absent.
    package func texts(
        _ name: String, named names: ValueForm<String>, _ form: ValueForm<String>
    ) -> [String: String] {
        guard let (node, line) = find(name) else { return [:] }
        guard let mapping = node.mapping else {
            context.report(key(name), line: line, "expected names with texts")
            return [:]
        }
        context.note(join(name) + ".*")
        var texts: [String: String] = [:]
        for pair in mapping {
            let line = pair.key.mark.line
            guard let own = pair.key.scalar?.text else {
                context.report(key(name), line: line, "expected names with texts")
                continue
            }
            // Several names may be on one line.
            let key = "\(key(name)).\(own)"
            guard names.parse(own) != nil else {
                context.report(key, line: line, "expected \(names.expected)")
                continue
            }
            texts[own] = parse(pair.value, key, line, form)
        }
        return texts
    }

    /// The line of a key; the line of the section when the key is absent.
    package func line(of name: String) -> Int { pairs.first { $0.key == name }?.keyLine ?? line }

    /// True if the key is present.
    package func contains(_ name: String) -> Bool { pairs.contains { $0.key == name } }

    /// The keys below a key, readable or not; empty when it has none.
    package func names(in name: String) -> [String] {
        pairs.first { $0.key == name }?.value.mapping?.compactMap { $0.key.scalar?.text } ?? []
    }

    /// True if the key is present and holds a mapping.
    package func isMapping(_ name: String) -> Bool { pairs.first { $0.key == name }?.value.mapping != nil }

    /// The scalar of a key as written, before variables are replaced.
    package func rawText(_ name: String) -> String? { pairs.first { $0.key == name }?.value.scalar?.text }

    private func parse<Value>(
        _ node: YAMLNode, _ key: String, _ line: Int, _ form: ValueForm<Value>, else other: String? = nil
    ) -> Value? {
        guard let scalar = node.scalar, !scalar.isNull else {
            context.report(key, line: line, other ?? "expected \(form.expected)")
            return nil
        }
        guard let text = context.expand(scalar.text, key, line: line) else { return nil }
        // rule: typographic quotes are no part of a value
        guard !scalar.isPlain || !text.isInTypographicQuotes else {
            context.report(
                key, line: line, "has typographic quotes, which YAML reads as part of the value; write ' or \"")
            return nil
        }
        guard let value = form.parse(text) else {
            context.report(
                key, line: line, "expected \(form.expected)" + Misspelling.advice(on: text, among: form.words))
            return nil
        }
        return value
    }

    /// The values of a mapping whose keys are names that the user chose, each name once regardless of case.
    package func pairs<Value>(_ name: String, _ form: ValueForm<Value>) -> [(name: String, value: Value)] {
        guard let (node, line) = find(name, pattern: name + ".*") else { return [] }
        guard let mapping = node.mapping else {
            context.report(key(name), line: line, "expected names with values")
            return []
        }
        var seen: Set<String> = []
        return mapping.compactMap { pair in
            let line = pair.key.mark.line
            guard let own = pair.key.scalar?.text else {
                context.report(key(name), line: line, "expected a plain word as key")
                return nil
            }
            let path = "\(key(name)).\(own)"
            context.note(path, line: line)
            if !seen.insert(own.lowercased()).inserted { context.report(path, line: line, "is there twice") }
            return parse(pair.value, path, line, form).map { (own, $0) }
        }
    }

    // MARK: Parts

    /// A section below this one; without keys when it is absent, or when the file has the word in its place.
    package func section(_ name: String, orWord word: String? = nil) -> Section {
        let found = find(name)
        let isWord = word != nil && found?.value.scalar?.text == word
        return Section(
            isWord ? nil : found?.value, path: key(name), pattern: join(name), line: found?.line ?? line,
            context: context)
    }

    /// A section whose keys are names that the user chose.
    package func named(_ name: String) -> [(name: String, section: Section)] {
        guard let (node, line) = find(name) else { return [] }
        guard let mapping = node.mapping else {
            context.report(key(name), line: line, "expected names with settings")
            return []
        }
        return mapping.compactMap { pair in
            let line = pair.key.mark.line
            let path = self.key(name)
            guard let own = pair.key.scalar?.text, own.isName else {
                context.report(path, line: line, "expected names of \(ValueForm<String>.name.expected)")
                return nil
            }
            context.note("\(path).\(own)", line: line)
            return (
                own,
                Section(pair.value, path: "\(path).\(own)", pattern: join(name) + ".*", line: line, context: context)
            )
        }
    }

    /// A list of sections.
    package func entries(_ name: String) -> [Section]? {
        guard let (node, line) = find(name) else { return nil }
        guard let sequence = node.sequence else {
            context.report(key(name), line: line, "expected a list")
            return nil
        }
        return sequence.enumerated().map { place, item in
            let (path, line) = ("\(key(name))[\(place)]", item.mark.line)
            context.note(path, line: line)
            return Section(item, path: path, pattern: join(name) + "[]", line: line, context: context)
        }
    }

    private func join(_ name: String) -> String { pattern.isEmpty ? name : "\(pattern).\(name)" }

    // MARK: Unknown and unsupported keys

    /// Reports a key that this section does not support and that people expect here; the reason helps more than
    /// "unknown key".
    package func later(_ name: String, _ why: String = "is not supported") {
        guard let pair = pairs.first(where: { $0.key == name }) else { return }
        known.append(name)
        context.report(key(name), line: pair.keyLine, why)
    }

    /// Reports every key that was not read.
    package func finish() {
        for pair in pairs where !known.contains(pair.key) {
            var advice = Misspelling.advice(on: pair.key, among: known)
            if path.isEmpty, advice.isEmpty { advice = "; the sections are \(known.joined(separator: ", "))" }
            context.report(key(pair.key), line: pair.keyLine, "unknown key" + advice)
        }
    }
}

extension String {
    /// True if a word processor has put typographic quotes around the text.
    fileprivate var isInTypographicQuotes: Bool {
        let quotes: Set<Unicode.Scalar> = [
            "\u{2018}", "\u{2019}", "\u{201A}", "\u{201B}", "\u{201C}", "\u{201D}", "\u{201E}", "\u{201F}", "\u{AB}",
            "\u{BB}",
            "\u{2039}", "\u{203A}",
        ]
        guard unicodeScalars.count > 1, let first = unicodeScalars.first, let last = unicodeScalars.last else {
            return false
        }
        return quotes.contains(first) || quotes.contains(last)
    }
}
