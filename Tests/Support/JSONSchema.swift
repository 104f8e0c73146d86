public import JSON

/// Checks values against schemas: the part of JSON Schema 2020-12 that our contract uses.
///
/// A keyword that is not known here is a fault of its own, so that nothing in a schema is skipped in silence.
public struct JSONSchema: Sendable {
    /// The document that `#/…` references are looked up in.
    public let document: JSONValue
    /// Whether a member that a schema does not name, and a value that an open list does not, is a fault.
    public let isClosed: Bool

    /// Schemas of one document.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - isClosed: For what the server sends: today it sends nothing that the document does not name, though clients
    ///     have to bear more. An object that lists its members then has no others, unless it says what others may be, and
    ///     `x-extensible-enum` is a list like `enum`.
    public init(_ document: JSONValue, isClosed: Bool = false) {
        self.document = document
        self.isClosed = isClosed
    }

    private static let annotations: Set = [
        "description", "title", "default", "examples", "discriminator", "readOnly", "writeOnly", "format",
        // The marks of an answer, for whoever draws it.
        "autocomplete", "hidden",
    ]

    /// What is wrong with a value; empty when it fits.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - schema: The schema; references are followed.
    ///   - path: Where the value stands, for the faults.
    /// - Returns: One line each, `path: fault`.
    public func faults(in value: JSONValue, _ schema: JSONValue, at path: String = "$") -> [String] {
        if let flag = schema.bool { return flag ? [] : ["\(path): nothing fits"] }
        guard let keywords = schema.object else { return ["\(path): the schema is no object"] }
        let faults = keywords.flatMap { name, argument in fault(in: value, name, argument, keywords) }
        return (faults + unnamed(value, keywords)).map { $0.hasPrefix("$") ? $0 : "\(path): \($0)" }
    }

    /// The members that a closed schema does not name.
    private func unnamed(_ value: JSONValue, _ schema: JSONObject) -> [String] {
        guard isClosed, let members = value.object, let properties = schema["properties"]?.object,
            schema["additionalProperties"] == nil
        else { return [] }
        return members.names.filter { properties[$0] == nil }.map { "the member \($0) is not known" }
    }

    /// The value that a reference within the document names.
    public func resolve(_ reference: String) -> JSONValue? {
        guard reference.hasPrefix("#/") else { return nil }
        return reference.dropFirst(2).split(separator: "/").reduce(Optional(document)) { $0?[String($1)] }
    }

    private func fault(
        in value: JSONValue, _ name: String, _ argument: JSONValue, _ schema: JSONObject
    ) -> [String] {
        switch name {
        case _ where Self.annotations.contains(name): []
        case "$ref": reference(value, argument)
        case "type": isOfType(value, argument) ? [] : ["not of type \(argument.text)"]
        case "const": value == argument ? [] : ["is not \(argument.text)"]
        case "x-extensible-enum" where !isClosed: []
        case "enum", "x-extensible-enum":
            argument.array?.contains(value) == true ? [] : ["\(value.text) is none of \(argument.text)"]
        case "not": faults(in: value, argument).isEmpty ? ["fits what it must not"] : []
        case "oneOf": oneOf(value, argument, schema)
        case "anyOf": anyOf(value, argument)
        case "allOf": (argument.array ?? []).flatMap { faults(in: value, $0) }
        case "properties", "required", "additionalProperties", "propertyNames", "minProperties", "maxProperties":
            value.object.map { object($0, name, argument, schema) } ?? []
        case "items", "minItems", "maxItems": value.array.map { array($0, name, argument) } ?? []
        case "minLength", "maxLength", "pattern": value.string.map { text($0, name, argument) } ?? []
        case "minimum", "maximum": value.double.map { number($0, name, argument) } ?? []
        default: ["the keyword \(name) is not known"]
        }
    }

    private func reference(_ value: JSONValue, _ argument: JSONValue) -> [String] {
        guard let text = argument.string, let schema = resolve(text) else {
            return ["no such schema: \(argument.text)"]
        }
        return faults(in: value, schema)
    }

    private func count(_ value: JSONValue, _ schemas: JSONValue) -> Int {
        (schemas.array ?? []).count { faults(in: value, $0).isEmpty }
    }

    /// Of what a discriminator tells apart, the faults of the one that it names.
    private func oneOf(_ value: JSONValue, _ schemas: JSONValue, _ schema: JSONObject) -> [String] {
        let fitting = count(value, schemas)
        if fitting == 1 { return [] }
        if fitting == 0, let property = schema["discriminator"]?["propertyName"]?.string,
            let name = value[property]?.string,
            let chosen = schema["discriminator"]?["mapping"]?[name]
        {
            return reference(value, chosen)
        }
        return ["fits \(fitting) of the schemas, not one"]
    }

    private func anyOf(_ value: JSONValue, _ schemas: JSONValue) -> [String] {
        guard count(value, schemas) == 0 else { return [] }
        return ["fits none of the schemas: \(value.text)"]
    }

    private func isOfType(_ value: JSONValue, _ argument: JSONValue) -> Bool {
        if let names = argument.array { return names.contains { isOfType(value, $0) } }
        return switch (argument.string, value) {
        case ("null", .null), ("boolean", .bool), ("number", .number), ("string", .string), ("array", .array),
            ("object", .object):
            true
        case ("integer", .number(let number)): number.int != nil
        default: false
        }
    }

    private func object(
        _ object: JSONObject, _ name: String, _ argument: JSONValue, _ schema: JSONObject
    ) -> [String] {
        switch name {
        case "properties":
            (argument.object ?? [:]).flatMap { member, schema in
                object[member].map { faults(in: $0, schema, at: "$.\(member)") } ?? []
            }
        case "required":
            (argument.array ?? []).compactMap(\.string).filter { object[$0] == nil }.map { "\($0) is missing" }
        case "propertyNames": object.names.flatMap { faults(in: .string($0), argument, at: "$.\($0)") }
        case "minProperties": Int64(object.count) >= argument.int ?? .max ? [] : ["too few members"]
        case "maxProperties": Int64(object.count) <= argument.int ?? 0 ? [] : ["too many members"]
        default:
            object.names.filter { schema["properties"]?[$0] == nil }.flatMap { member in
                object[member].map { faults(in: $0, argument, at: "$.\(member)") } ?? []
            }
        }
    }

    private func array(_ elements: [JSONValue], _ name: String, _ argument: JSONValue) -> [String] {
        switch name {
        case "items":
            elements.enumerated().flatMap { faults(in: $0.element, argument, at: "$[\($0.offset)]") }
        case "minItems": Int64(elements.count) >= argument.int ?? .max ? [] : ["too few elements"]
        default: Int64(elements.count) <= argument.int ?? 0 ? [] : ["too many elements"]
        }
    }

    private func text(_ text: String, _ name: String, _ argument: JSONValue) -> [String] {
        switch name {
        case "minLength": return Int64(text.unicodeScalars.count) >= argument.int ?? .max ? [] : ["too short"]
        case "maxLength": return Int64(text.unicodeScalars.count) <= argument.int ?? 0 ? [] : ["too long"]
        default:
            guard let pattern = argument.string, let regex = try? Regex(pattern) else { return ["a bad pattern"] }
            return text.firstMatch(of: regex) == nil ? ["\(text) does not match \(pattern)"] : []
        }
    }

    private func number(_ number: Double, _ name: String, _ argument: JSONValue) -> [String] {
        guard let bound = argument.double else { return ["a bad bound"] }
        return (name == "minimum" ? number >= bound : number <= bound) ? [] : ["\(number) is out of range"]
    }
}
