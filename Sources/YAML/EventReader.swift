internal import CYAML

/// The parser of libyaml over one text.
///
/// Invariant: from `init` to `deinit` the parser is initialised and stays at one address, and so does the copy of the
/// text, which it points into; both are freed in `deinit`, on every path, because the value cannot be copied. No event
/// outlives the call that made it.
///
/// libyaml recurses nowhere in this interface: how deep a tree becomes is the caller's business.
struct EventReader: ~Copyable {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let lineBreaks = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].map { Array($0.utf8) }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let text: UnsafeMutableBufferPointer<UInt8>
    /// Where the last event began, when it was a text in quotes over several lines.
    private var openedQuote: YAMLMark?

    /// Takes a text, without the byte order mark that may begin it.
    ///
    /// The encoding is set, because libyaml would take a text that begins with the mark of UTF-16 for that, and then
    /// count offsets in another unit.
    ///
    /// - Throws: What can be refused before libyaml reads, and `outOfMemory`.
    init(_ bytes: [UInt8]) throws(YAMLError) {
        let content = bytes.starts(with: Self.byteOrderMark) ? bytes.dropFirst(Self.byteOrderMark.count) : bytes[...]
        try content.withUnsafeBufferPointer { (content) throws(YAMLError) in try Self.check(content) }
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLError(.outOfMemory, at: .start)
        }
        let text = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: content.count)
        _ = text.initialize(from: content)
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
        self.parser = parser
        self.text = text
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        text.deallocate()
    }

    /// The next event; after the last one `streamEnd` again and again.
    ///
    /// - Throws: What libyaml finds; the reader is of no use after that.
    mutating func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
        defer { yaml_event_delete(&event) }
        let style = event.type == YAML_SCALAR_EVENT ? event.data.scalar.style : YAML_ANY_SCALAR_STYLE
        let isQuoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
        openedQuote =
            isQuoted && event.start_mark.line < event.end_mark.line ? YAMLMark(event.start_mark) : nil
        return YAMLEvent(event)
    }

    /// The error of libyaml, at the place of the problem and not at the start of the enclosing node.
    private func failure() -> YAMLError {
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "unknown problem"
        switch parser.pointee.error {
        case YAML_MEMORY_ERROR:
            return YAMLError(.outOfMemory, at: YAMLMark(parser.pointee.mark))
        case YAML_READER_ERROR:
            let mark = YAMLMark(ofByte: parser.pointee.problem_offset, in: UnsafeBufferPointer(text))
            // Its reader finds this one kind of fault in what is UTF-8, NUL among them.
            let isCharacter = problem == "control characters are not allowed"
            return YAMLError(isCharacter ? .syntax(problem) : .notUTF8, at: mark)
        default:
            let mark = YAMLMark(parser.pointee.problem_mark)
            if let tab = tab(inIndentationOf: mark) { return YAMLError(.tab, at: tab) }
            if let quote = openQuote { return YAMLError(.openQuote, at: quote) }
            return YAMLError(.syntax(problem), at: mark)
        }
    }

    /// Where the quote was opened that the text ends in, or that was closed right before what does not fit.
    private var openQuote: YAMLMark? {
        let context = parser.pointee.context.map { String(cString: $0) }
        let isOpen = context == "while scanning a quoted scalar" && parser.pointee.problem_mark.index > 0
        let isCut = parser.pointee.problem.map { String(cString: $0).hasPrefix("found unexpected") } ?? false
        return isOpen && isCut ? YAMLMark(parser.pointee.context_mark) : openedQuote
    }

    /// The place of a tab before the first character of the line of a problem, at or before that problem.
    private func tab(inIndentationOf problem: YAMLMark) -> YAMLMark? {
        var (line, column) = (1, 1)
        for byte in text {
            if byte == UInt8(ascii: "\n") {
                (line, column) = (line + 1, 1)
            } else if line == problem.line {
                if byte == UInt8(ascii: "\t") { return YAMLMark(line: line, column: column) }
                guard byte == UInt8(ascii: " ") else { return nil }
                column += 1
            }
        }
        return nil
    }

    /// Bounds what libyaml would spend time on, and refuses what it would take for a column.
    private static func check(_ content: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
        guard content.count <= YAMLLimits.bytes else {
            throw YAMLError(.tooLong, at: YAMLMark(ofByte: YAMLLimits.bytes, in: content))
        }
        guard !content.starts(with: byteOrderMark) else {
            throw YAMLError(.syntax("found a second byte order mark"), at: .start)
        }
        var directives = 0
        for (place, byte) in content.enumerated() where byte == UInt8(ascii: "%") {
            let before = content[..<place]
            if before.isEmpty || lineBreaks.contains(where: { before.suffix($0.count).elementsEqual($0) }) {
                directives += 1
            }
            guard directives <= YAMLLimits.directives else {
                throw YAMLError(.tooManyDirectives, at: YAMLMark(ofByte: place, in: content))
            }
        }
    }
}
