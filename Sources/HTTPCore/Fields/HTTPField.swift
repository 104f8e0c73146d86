/// One header field: a name and a value that fits on one line of a message (RFC 9110 section 5).
///
/// A field always has a value that can be sent: text from outside the program passes a throwing initialiser, which
/// refuses control characters and blanks at the ends and changes nothing.
public struct HTTPField: Sendable, Hashable {
    /// The stored value: text, or the bytes of a head that are not UTF-8.
    private enum Content: Sendable, Hashable {
        case text(String)
        case bytes(ArraySlice<UInt8>)
    }

    /// The name of the field.
    public let name: Name
    private let content: Content

    /// Makes a field whose value is a literal in the program.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - literal: The value; a literal that cannot be sent is a programming error and traps.
    public init(_ name: Name, _ literal: StaticString) {
        self.name = name
        let bytes = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        precondition(Self.refusal(of: bytes, of: name) == nil, "a literal is no field value")
        content = .text(literal.description)
    }

    /// Makes a field with a whole number as its value.
    public init(_ name: Name, _ number: some FixedWidthInteger) {
        self.name = name
        content = .text(String(number))
    }

    /// Makes a field with a value from outside the program, or a composed one.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: No control characters but tabs, no blanks at the ends; may be empty.
    /// - Throws: The problem of the value, with the name of the field.
    public init(_ name: Name, checking value: String) throws(HTTPFieldError) {
        var value = value
        if let failure = value.withUTF8({ Self.refusal(of: UnsafeRawBufferPointer($0), of: name) }) { throw failure }
        self.name = name
        content = .text(value)
    }

    /// Makes a field with a value of borrowed bytes, such as a line of a head.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - bytes: As for text; bytes that are not UTF-8 are kept and sent unchanged.
    /// - Throws: The problem of the value, with the name of the field.
    public init(_ name: Name, checking bytes: UnsafeRawBufferPointer) throws(HTTPFieldError) {
        if let failure = Self.refusal(of: bytes, of: name) { throw failure }
        self.name = name
        content = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(Array(bytes)[...])
    }

    /// The value as text; bytes that are not UTF-8 are shown as replacement characters.
    public var value: String {
        switch content {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// True if the bytes of the value are UTF-8, so that `value` is complete.
    public var isText: Bool {
        if case .text = content { true } else { false }
    }

    /// Lends the bytes of the value as sent.
    public func withValueBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch content {
        case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes(body)
        }
    }

    /// The number of bytes of the value.
    package var valueCount: Int {
        switch content {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    /// The problem of a value; nil if it can be sent.
    private static func refusal(of bytes: UnsafeRawBufferPointer, of name: Name) -> HTTPFieldError? {
        // The loop has no early exit, so that the compiler can vectorize it: tokens are long.
        var broken = 0 as UInt8
        for byte in bytes { broken |= byte < 0x20 && byte != 0x09 || byte == 0x7F ? 1 : 0 }
        if broken != 0 { return .controlCharacter(field: name.rawName) }
        if let first = bytes.first, let last = bytes.last, isBlank(first) || isBlank(last) {
            return .blankAtEnd(field: name.rawName)
        }
        return nil
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

extension HTTPField: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the name; the value may be secret.
    public var description: String { "\(name.rawName): …" }
    /// Shows the name; the value may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the field prints no value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
