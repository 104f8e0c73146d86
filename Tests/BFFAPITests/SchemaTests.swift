import JSON
import TestSupport
import Testing

@Suite("The schema checker of the tests")
struct SchemaTests {
    /// Schema, value, and whether it fits.
    static let cases: [(JSONValue, JSONValue, Bool)] = [
        (["type": "string"], "a", true), (["type": "string"], 1, false), (["type": "integer"], 1, true),
        (["type": ["string", "null"]], nil, true), (["type": ["string", "null"]], 1, false),
        (["const": "a"], "b", false), (["enum": ["a", 1]], 1, true), (["enum": ["a", 1]], "1", false),
        (["not": ["const": 1]], 1, false), (["not": ["const": 1]], 2, true),
        (["oneOf": [["type": "string"], ["const": "a"]]], "a", false),
        (["oneOf": [["type": "string"], ["const": 1]]], "a", true),
        (["anyOf": [["type": "string"], ["const": "a"]]], "a", true), (["anyOf": [["type": "string"]]], 1, false),
        (["properties": ["a": ["type": "string"]]], ["a": 1], false),
        (["properties": ["a": ["type": "string"]]], ["b": 1], true),
        (["properties": ["a": true], "additionalProperties": false], ["b": 1], false),
        (["properties": ["a": true], "additionalProperties": false], ["a": 1], true),
        (["additionalProperties": ["type": "string"]], ["a": 1], false), (["required": ["a"]], ["b": 1], false),
        (["required": ["a"]], ["a": nil], true), (["items": ["type": "string"]], ["a", 1], false),
        (["items": ["type": "string"]], ["a"], true), (["maxItems": 1], ["a", "b"], false),
        (["pattern": "^a+$"], "aa", true), (["pattern": "^a+$"], "ab", false), (["minimum": 1], 0, false),
        (["minimum": 1], 1, true), (["maxLength": 1], "ab", false), (["$ref": "#/defs/text"], "a", true),
        (["$ref": "#/defs/text"], 1, false), (["$ref": "#/defs/none"], 1, false), (["unknownKeyword": 1], 1, false),
        (["maxProperties": 1], ["a": 1, "b": 2], false), (["minProperties": 1], [:], false),
        (["minProperties": 1], ["a": 1], true), (["propertyNames": ["maxLength": 1]], ["a": 1], true),
        (["propertyNames": ["maxLength": 1]], ["ab": 1], false),
        (["x-extensible-enum": ["a"]], "b", true), (false, 1, false),
        ([:], 1, true),
    ]

    @Test("finds what does not fit", arguments: cases.indices)
    func fits(_ index: Int) {
        let (schema, value, fits) = Self.cases[index]
        let checker = JSONSchema(["defs": ["text": ["type": "string"]]])
        #expect(checker.faults(in: value, schema).isEmpty == fits, "\(schema.text) \(value.text)")
    }

    @Test(
        "finds what the server must not send, though a client has to bear it",
        arguments: [
            (["properties": ["a": true]], ["b": 1], false), (["properties": ["a": true]], ["a": 1], true),
            (["properties": ["a": true], "additionalProperties": true], ["b": 1], true),
            (["type": "object"], ["b": 1], true),
            (["x-extensible-enum": ["a"]], "b", false), (["x-extensible-enum": ["a"]], "a", true),
        ] as [(JSONValue, JSONValue, Bool)])
    func closed(_ schema: JSONValue, _ value: JSONValue, _ fits: Bool) {
        #expect(JSONSchema([:], isClosed: true).faults(in: value, schema).isEmpty == fits)
        #expect(JSONSchema([:]).faults(in: value, schema).isEmpty)
    }
}
