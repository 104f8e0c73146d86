import Testing
import YAML

@Suite("A scalar of the core schema")
struct CoreSchemaTests {
    private func scalar(_ text: String) throws -> YAMLScalar {
        try #require(try YAMLNode(parsing: Array("[\(text)]".utf8))?.sequence?.first?.scalar)
    }

    @Test("is a null", arguments: ["~", "null", "Null", "NULL", "!!null ''", "!!null \"~\""])
    func nulls(text: String) throws {
        let scalar = try scalar(text)
        #expect(scalar.isNull && scalar.bool == nil && scalar.int == nil && scalar.double == nil)
    }

    @Test(
        "is true or false",
        arguments: [
            ("true", true), ("True", true), ("TRUE", true), ("false", false), ("False", false), ("FALSE", false),
            ("!!bool 'true'", true),
        ])
    func bools(text: String, value: Bool) throws {
        let scalar = try scalar(text)
        #expect(scalar.bool == value && !scalar.isNull && scalar.int == nil && scalar.double == nil)
    }

    @Test(
        "is a whole number",
        arguments: [
            ("0", 0), ("-0", 0), ("+12", 12), ("-19", -19), ("007", 7), ("0o17", 15), ("0x1f", 31), ("0xFF", 255),
            ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("!!int '12'", 12),
        ])
    func integers(text: String, value: Int) throws {
        let scalar = try scalar(text)
        #expect(scalar.kind == .integer && scalar.int == value && scalar.double == Double(value) && scalar.bool == nil)
    }

    @Test(
        "is a whole number that Int cannot hold",
        arguments: ["9223372036854775808", "-9223372036854775809", "0x8000000000000000", "0o7777777777777777777777"])
    func bigIntegers(text: String) throws {
        let scalar = try scalar(text)
        #expect(scalar.kind == .integer && scalar.int == nil)
        #expect((scalar.double == nil) == text.hasPrefix("0"))
    }

    @Test(
        "is another number",
        arguments: [
            ("1.5", 1.5), ("1.", 1), (".5", 0.5), ("-.5", -0.5), ("+1.25e2", 125), ("1e3", 1000), ("1E-2", 0.01),
            ("00.5", 0.5),
            (".inf", .infinity), (".Inf", .infinity), ("+.INF", .infinity), ("-.inf", -.infinity), ("!!float 3", 3),
            ("1e400", .infinity),
        ] as [(String, Double)])
    func floats(text: String, value: Double) throws {
        let scalar = try scalar(text)
        #expect(scalar.kind == .float && scalar.double == value && scalar.int == nil)
    }

    @Test("is not a number and says so", arguments: [".nan", ".NaN", ".NAN"])
    func notANumber(text: String) throws {
        let scalar = try scalar(text)
        #expect(scalar.kind == .float && scalar.double?.isNaN == true)
    }

    @Test(
        "is a text",
        arguments: [
            "yes", "Yes", "YES", "no", "No", "on", "On", "off", "OFF", "y", "n", "nULL", "nil", "none", "tRUE", "t",
            "0b1", "0o8",
            "0o", "0x", "0xg", "-0x1", "+0o7", "0X1", "0O7", "1_000", "1e", "1e+", "e1", ".", "+", "-.", "+.e1", ".e1",
            "1.2.3", "12:30", "190:20:30", "2001-01-01", "inf", ".iNF", "+.nan", "-.NaN", "nan", "1 2", "٣",
            "'true'", "\"null\"", "'12'", "''", "\"~\"", "! true", "! 12", "!!str true", "!!str ", "!!str 12",
            "!!str ~",
        ])
    func texts(text: String) throws {
        let scalar = try scalar(text)
        #expect(
            scalar.kind == .text && scalar.bool == nil && scalar.int == nil && scalar.double == nil && !scalar.isNull)
    }

    @Test("is written plainly or not", arguments: [("a", true), ("!!str a", true), ("'a'", false), ("\"a\"", false)])
    func styles(text: String, isPlain: Bool) throws {
        #expect(try scalar(text).isPlain == isPlain)
        #expect(YAMLScalar("true", isPlain: isPlain).kind == (isPlain ? .bool : .text))
    }

    @Test("is a text as a block, whatever it reads like", arguments: ["|\n true", ">\n 12", "|-\n ~", "|-\n"])
    func blocks(text: String) throws {
        let scalar = try #require(try YAMLNode(parsing: Array(text.utf8))?.scalar)
        #expect(scalar.kind == .text && !scalar.isPlain)
    }

    @Test("means the same under a directive of an older version", arguments: ["yes", "on", "0b1", "12:30"])
    func versions(text: String) throws {
        #expect(NodeText.outcome("%YAML 1.1\n--- \(text)") == "\(text):text")
        #expect(NodeText.outcome("%YAML 1.2\n--- \(text)") == "\(text):text")
    }
}
