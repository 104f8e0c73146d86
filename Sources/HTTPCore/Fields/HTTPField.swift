/// One header field: a name and a value that can stand on one line of a message (RFC 9110 section 5).
///
/// There is no field with a value that cannot be sent: text from outside the program passes a throwing initialiser, which
/// refuses control characters and blanks at the ends and changes nothing.
public struct HTTPField: Sendable, Hashable {
    /// How a value is kept: as text, or as the bytes of a head that are no UTF-8.
    private enum Content: Sendable, Hashable {
        case text(String)
        case bytes(ArraySlice<UInt8>)
    }

    /// The name of the field.
    public let name: Name
    private let content: Content

    /// A field of which the value stands in the program's text.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - literal: The value; one that cannot be sent is a mistake in the program and ends it.
    public init(_ name: Name, _ literal: StaticString) {
        self.name = name
        let bytes = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        precondition(Self.refusal(of: bytes, of: name) == nil, "a literal is no field value")
        content = .text(literal.description)
    }

    /// A field with a whole number as its value.
    public init(_ name: Name, _ number: some FixedWidthInteger) {
        self.name = name
        content = .text(String(number))
    }

    /// A field with a value from outside the program, or with one that was put together.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: No control characters but tabs, no blanks at the ends; may be empty.
    /// - Throws: What is wrong with the value, by the name of the field.
    public init(_ name: Name, checking value: String) throws(HTTPFieldError) {
        var value = value
        if let failure = value.withUTF8({ Self.refusal(of: UnsafeRawBufferPointer($0), of: name) }) { throw failure }
        self.name = name
        content = .text(value)
    }

    /// A field with a value of borrowed bytes, such as a line of a head.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - bytes: As for text; bytes that are no UTF-8 are kept as they are and sent as they are.
    /// - Throws: What is wrong with the value, by the name of the field.
    public init(_ name: Name, checking bytes: UnsafeRawBufferPointer) throws(HTTPFieldError) {
        if let failure = Self.refusal(of: bytes, of: name) { throw failure }
        self.name = name
        content = String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(Array(bytes)[...])
    }

    /// The value; bytes that are no UTF-8 are shown as replacement characters.
    public var value: String {
        switch content {
        case .text(let text): text
        case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Whether the bytes of the value are UTF-8, so that `value` is all of it.
    public var isText: Bool {
        if case .text = content { true } else { false }
    }

    /// Lends the bytes of the value as they are sent.
    public func withValueBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch content {
        case .text(var text): text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): bytes.withUnsafeBytes(body)
        }
    }

    /// What is wrong with a value; nil when it can be sent.
    private static func refusal(of bytes: UnsafeRawBufferPointer, of name: Name) -> HTTPFieldError? {
        // No way out in the middle, so that the compiler looks at many bytes at a time: tokens are long.
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
    /// The name; the value may be secret.
    public var description: String { "\(name.rawName): …" }
    /// The name; the value may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
