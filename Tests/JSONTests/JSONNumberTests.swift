import JSON
import Testing

@Suite("A JSON number")
struct JSONNumberTests {
    @Test(
        "is an integer when it is whole and fits",
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("3.0", 3), ("3e0", 3), ("30e-1", 3), ("-30.0e-1", -3),
            ("1e2", 100), ("1.5e1", 15), ("0.0", 0), ("0e999999999999999999999", 0), ("-0.0e-5", 0),
            ("0.0000001e7", 1), ("1000000e-6", 1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775807.0", .max), ("-9223372036854775808.00", .min), ("9223372036854775807e0", .max),
            ("922337203685477580.7e1", .max), ("9.223372036854775807e18", .max), ("1e18", 1_000_000_000_000_000_000),
            ("9007199254740993.0", 9_007_199_254_740_993), ("1e+3", 1000), ("1E3", 1000), ("100e-02", 1),
        ] as [(String, Int64)])
    func whole(_ lexeme: String, _ expected: Int64) throws {
        #expect(try JSONValue(parsing: lexeme).int == expected)
    }

    @Test(
        "is no integer when it has a fraction or does not fit",
        arguments: [
            "0.1", "3.5", "-0.5", "1e-1", "1.25e1", "9223372036854775808", "-9223372036854775809", "1e19", "1e400",
            "9223372036854775808.0", "9223372036854775807.5", "1e999999999999999999999", "1e-999999999999999999999",
            "123123123123123123123123123123", "0.4e0066999999999999999999", "-1e19", "922337203685477580.8e1",
        ])
    func notWhole(_ lexeme: String) throws {
        #expect(try JSONValue(parsing: lexeme).int == nil)
    }

    @Test("reads a fraction of a million zeros in linear time")
    func longFraction() throws {
        let limits = JSONLimits(maxBytes: 4 << 20)
        let zeros = String(repeating: "0", count: 1_000_000)
        #expect(try JSONValue(parsing: "0.\(zeros)1", limits: limits).int == nil)
        #expect(try JSONValue(parsing: "5.\(zeros)", limits: limits).int == 5)
        #expect(try JSONValue(parsing: "1\(zeros)e-1000000", limits: limits).int == 1)
    }

    @Test("has a Double unless it is out of range")
    func doubles() throws {
        #expect(try JSONValue(parsing: "1.10").double == 1.1)
        #expect(try JSONValue(parsing: "-2.5e3").double == -2500)
        #expect(try JSONValue(parsing: "1e-400").double == 0)
        #expect(try JSONValue(parsing: "1e400").double == nil)
        #expect(JSONValue.string("1").double == nil)
    }

    @Test(
        "made from a Double is valid JSON",
        arguments: [0, -0.0, 1, 1.5, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1])
    func fromDouble(_ value: Double) throws {
        let number = try #require(JSONNumber(value))
        #expect(try JSONValue(parsing: number.lexeme).double == value)
    }

    @Test("is not made from infinities and NaN", arguments: [Double.infinity, -.infinity, .nan])
    func notFinite(_ value: Double) {
        #expect(JSONNumber(value) == nil)
    }

    @Test("takes a spelling only when it is a JSON number")
    func lexemes() {
        #expect(JSONNumber(lexeme: "1.10")?.lexeme == "1.10")
        for bad in ["", "+1", "01", "1.", " 1", "1 ", "NaN", "0x1", "1,0", "1\n", "-", "\"1\""] {
            #expect(JSONNumber(lexeme: bad) == nil, "\(bad)")
        }
    }

    @Test("is equal to another only in the same spelling")
    func equality() throws {
        #expect(try JSONValue(parsing: "3") == 3)
        #expect(try JSONValue(parsing: "3.0") != 3)
    }
}
