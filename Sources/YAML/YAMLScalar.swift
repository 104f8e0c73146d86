/// A text, and what the core schema of YAML 1.2 takes it for.
package struct YAMLScalar: Sendable, Equatable {
    /// The types of the core schema.
    package enum Kind: Sendable, Equatable {
        /// `null`, `~`, or nothing at all.
        case null
        /// `true` or `false`.
        case bool
        /// `7`, `0o17` or `0xF`.
        case integer
        /// `7.5`, `1e3`, `.inf` or `.nan`.
        case float
        /// Anything else: what is quoted, and `yes`, `no`, `on` and `off`.
        case text
    }

    /// The text as it reads, quotes and escapes resolved.
    package let text: String
    /// Its type: of a plain scalar by its form, of one that is quoted or a block `text`, unless a tag says otherwise.
    package let kind: Kind
    /// True if it is a plain scalar: neither quoted nor a block.
    package let isPlain: Bool

    /// A scalar without a tag.
    package init(_ text: String, isPlain: Bool) {
        self.init(text, isPlain: isPlain, kind: isPlain ? CoreSchema.kind(of: text) : .text)
    }

    init(_ text: String, isPlain: Bool, kind: Kind) {
        self.text = text
        self.isPlain = isPlain
        self.kind = kind
    }

    /// True if it is a null.
    package var isNull: Bool { kind == .null }

    /// The truth value; nil for what is none.
    package var bool: Bool? { kind == .bool ? text.utf8.first.map { $0 | 0x20 == UInt8(ascii: "t") } : nil }

    /// The whole number; nil for what is none, and for one that `Int` cannot hold.
    package var int: Int? { kind == .integer ? CoreSchema.int(text) : nil }

    /// The number, whole ones too, rounded to what `Double` can hold; nil for what is none.
    ///
    /// Also nil for an octal or hexadecimal one that `Int` cannot hold.
    package var double: Double? {
        switch kind {
        case .integer, .float: CoreSchema.double(text)
        case .null, .bool, .text: nil
        }
    }
}
