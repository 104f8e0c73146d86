/// Header fields in the order they were written, each occurrence separate (RFC 9110 section 5.3).
///
/// Stored as one array. A message has some ten fields, so a look-up scans it; well-known names are compared as numbers.
public struct HTTPFields: Sendable, Hashable {
    private var list: [HTTPField]

    /// Makes an empty list.
    public init() {
        list = []
    }

    /// The value of a field; nil when it is missing.
    ///
    /// Several occurrences are joined as a list, with `, ` (RFC 9110 section 5.3), cookies with `; ` (RFC 9113 section
    /// 8.2.3). `Set-Cookie` is never joined: the first of several is returned, see `subscript(values:)`.
    public subscript(name: HTTPField.Name) -> String? {
        guard let first = list.firstIndex(where: { $0.name == name }) else { return nil }
        let rest = list[(first + 1)...].filter { $0.name == name }
        if rest.isEmpty || name == .setCookie { return list[first].value }
        let separator = name == .cookie ? "; " : ", "
        return ([list[first]] + rest).map(\.value).joined(separator: separator)
    }

    /// The values of all occurrences, in order.
    public subscript(values name: HTTPField.Name) -> [String] {
        list.filter { $0.name == name }.map(\.value)
    }

    /// True if the list has a field of this name.
    public func contains(_ name: HTTPField.Name) -> Bool {
        list.contains { $0.name == name }
    }

    /// Adds a field at the end.
    public mutating func append(_ field: HTTPField) {
        list.append(field)
    }

    /// Replaces all fields of the same name by this one, at the place of the first of them, else at the end.
    public mutating func set(_ field: HTTPField) {
        guard let first = list.firstIndex(where: { $0.name == field.name }) else { return list.append(field) }
        list[first] = field
        for place in list.indices.reversed() where place > first && list[place].name == field.name {
            list.remove(at: place)
        }
    }

    /// Sets a field to a literal value in the program, see `set(_:)` and `HTTPField.init(_:_:)`.
    public mutating func set(_ name: HTTPField.Name, _ literal: StaticString) {
        set(HTTPField(name, literal))
    }

    /// Sets a field to a value from outside the program, or a composed one.
    ///
    /// - Throws: The problem of the value, with the name of the field; nothing was changed.
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
    /// The number of fields; each occurrence of a name counts.
    public var endIndex: Int { list.count }
    /// The field at an index, from 0.
    public subscript(position: Int) -> HTTPField { list[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Makes fields whose values are literals in the program, in the order written.
    public init(dictionaryLiteral fields: (HTTPField.Name, StaticString)...) {
        list = fields.map { HTTPField($0, $1) }
    }
}

extension HTTPFields: ExpressibleByArrayLiteral {
    /// Makes a list of fields in the order written.
    public init(arrayLiteral fields: HTTPField...) {
        list = fields
    }
}

extension HTTPFields: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the names; values may be secret.
    public var description: String { "[" + list.map(\.name.rawName).joined(separator: ", ") + "]" }
    /// Shows the names; values may be secret.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the fields prints no values.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
