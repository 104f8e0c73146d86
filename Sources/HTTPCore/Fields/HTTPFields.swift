/// Header fields in the order in which they were written, each occurrence kept apart (RFC 9110 section 5.3).
///
/// One array. A message has some ten fields, so a look-up walks it; well-known names are compared as numbers.
public struct HTTPFields: Sendable, Hashable {
    private var list: [HTTPField]

    /// Makes an empty list.
    public init() {
        list = []
    }

    /// The value of a field; nil when it is missing.
    ///
    /// Several occurrences are joined as a list, with `, ` (RFC 9110 section 5.3), cookies with `; ` (RFC 9113 section
    /// 8.2.3). `Set-Cookie` is never joined: of several the first is given, see `subscript(values:)`.
    public subscript(name: HTTPField.Name) -> String? {
        guard let first = list.firstIndex(where: { $0.name == name }) else { return nil }
        let rest = list[(first + 1)...].filter { $0.name == name }
        if rest.isEmpty || name == .setCookie { return list[first].value }
        let separator = name == .cookie ? "; " : ", "
        return ([list[first]] + rest).map(\.value).joined(separator: separator)
    }

    /// The value of every occurrence, in order.
    public subscript(values name: HTTPField.Name) -> [String] {
        list.filter { $0.name == name }.map(\.value)
    }

    /// Whether a field of this name is there.
    public func contains(_ name: HTTPField.Name) -> Bool {
        list.contains { $0.name == name }
    }

    /// Adds a field at the end.
    public mutating func append(_ field: HTTPField) {
        list.append(field)
    }

    /// Puts a field in the place of every field of its name: where the first one stood, else at the end.
    public mutating func set(_ field: HTTPField) {
        guard let first = list.firstIndex(where: { $0.name == field.name }) else { return list.append(field) }
        list[first] = field
        for place in list.indices.reversed() where place > first && list[place].name == field.name {
            list.remove(at: place)
        }
    }

    /// Sets a field to a value that stands in the program's text, see `set(_:)` and `HTTPField.init(_:_:)`.
    public mutating func set(_ name: HTTPField.Name, _ literal: StaticString) {
        set(HTTPField(name, literal))
    }

    /// Sets a field to a value from outside the program, or to one that was put together.
    ///
    /// - Throws: What is wrong with the value, by the name of the field; nothing was changed.
    public mutating func set(_ name: HTTPField.Name, checking value: String) throws(HTTPFieldError) {
        set(try HTTPField(name, checking: value))
    }

    /// Removes every field of this name.
    public mutating func remove(_ name: HTTPField.Name) {
        list.removeAll { $0.name == name }
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The position of the first field, 0.
    public var startIndex: Int { 0 }
    /// The number of fields, repeated ones counted each.
    public var endIndex: Int { list.count }
    /// The field at a place, from 0.
    public subscript(position: Int) -> HTTPField { list[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Fields of which the values stand in the program's text, in the order written.
    public init(dictionaryLiteral fields: (HTTPField.Name, StaticString)...) {
        list = fields.map { HTTPField($0, $1) }
    }
}

extension HTTPFields: ExpressibleByArrayLiteral {
    /// Fields in the order written.
    public init(arrayLiteral fields: HTTPField...) {
        list = fields
    }
}

extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names; values may be secret.
    public var description: String { "[" + list.map(\.name.rawName).joined(separator: ", ") + "]" }
    /// The names; values may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
