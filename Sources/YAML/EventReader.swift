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
        return YAMLEvent(event)
    }

    /// What libyaml says, at the place where the problem is, not where what holds it began.
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
            return YAMLError(.syntax(problem), at: YAMLMark(parser.pointee.problem_mark))
        }
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
