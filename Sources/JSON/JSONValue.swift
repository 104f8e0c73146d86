/// Any JSON value, carried without change: members keep their order, numbers keep their spelling.
///
/// Two values are equal when strings and names agree byte for byte (not by canonical equivalence, as `String` compares),
/// numbers agree in spelling and arrays in order; the order of object members does not matter.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number as it was written.
    case number(JSONNumber)
    /// A text, its escapes resolved.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members in order, each name once.
    case object(JSONObject)
}

extension JSONValue {
    /// The number with this value.
    public init(_ value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// The text of a `.string`.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The truth value of a `.bool`; never made from a number or a text.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number of a `.number`.
    public var number: JSONNumber? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The value of a `.number` that is whole and in range; `3.0` and `3e0` are whole.
    public var int: Int64? { number?.int }

    /// The value of a `.number`, rounded to the nearest; nil when it is beyond the range of `Double`.
    public var double: Double? { number?.double }

    /// The elements of an `.array`.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an `.object`.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// True if this is `null`; a missing member is not.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The member of that name when this is an object that has one.
    public subscript(name: String) -> JSONValue? {
        object?[name]
    }

    /// The element at a position, from 0, when this is an array that long.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue: Equatable {
    /// Compares without regard to the order of members, see the type.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): sameBytes(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// Makes a `.string` of a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes a `.bool` of a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a `.number` of a literal.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// Makes an `.array` of a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An `.object` in the order written; a repeated name takes its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        object.reserveCapacity(elements.count)
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
    /// `.null`.
    public init(nilLiteral: ()) { self = .null }
}

/// True if two texts have the same bytes; `==` also equates different spellings of one character.
func sameBytes(_ left: String, _ right: String) -> Bool {
    var right = right
    return right.withUTF8 { sameBytes(left, UnsafeRawBufferPointer($0)) }
}

/// True if a text has these bytes.
func sameBytes(_ left: String, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.utf8.count == right.count else { return false }
    var left = left
    return left.withUTF8 { sameBytes(UnsafeRawBufferPointer($0), right) }
}

/// True if two runs of bytes are equal; compares eight at a time.
@inline(__always)
func sameBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    var index = 0
    while index &+ 8 <= left.count {
        let word = left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        guard word == right.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
        index &+= 8
    }
    while index < left.count {
        guard left[index] == right[index] else { return false }
        index &+= 1
    }
    return true
}
