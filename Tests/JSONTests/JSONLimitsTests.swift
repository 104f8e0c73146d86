import JSON
import Testing

@Suite("The limits of a JSON document")
struct JSONLimitsTests {
    private func nested(_ depth: Int, _ open: String = "[", _ close: String = "]") -> [UInt8] {
        Array((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
    }

    @Test("allow the depth they name and refuse one more")
    func depth() throws {
        let limits = JSONLimits(maxDepth: 5)
        _ = try JSONValue(parsing: nested(5), limits: limits)
        #expect(throws: JSONError.depth) { try JSONValue(parsing: nested(6), limits: limits) }
        #expect(throws: JSONError.depth) { try JSONScanner(nested(6), limits: limits) }
        #expect(throws: JSONError.depth) { try JSONValue(parsing: nested(6, #"{"a":"#, "}"), limits: limits) }
        #expect(throws: JSONError.depth) { try JSONScanner(nested(6, #"{"a":"#, "}"), limits: limits) }
        #expect(throws: JSONError.depth) { try JSONValue(parsing: "[]", limits: JSONLimits(maxDepth: 0)) }
    }

    @Test("refuse a hundred thousand open brackets before the stack ends")
    func bomb() {
        let bomb = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: JSONError.depth) { try JSONValue(parsing: bomb, limits: JSONLimits(maxDepth: .max)) }
        #expect(throws: JSONError.depth) { try JSONScanner(bomb, limits: JSONLimits(maxDepth: .max)) }
    }

    @Test("count depth, not the number of arrays")
    func siblings() throws {
        _ = try JSONValue(parsing: "[[],[],[[]],{}]", limits: JSONLimits(maxDepth: 3))
        #expect(throws: JSONError.depth) {
            try JSONValue(parsing: "[[],[],[[]],{}]", limits: JSONLimits(maxDepth: 2))
        }
    }

    @Test("never let the depth exceed what the stack bears")
    func clamped() {
        var limits = JSONLimits(maxDepth: 1_000_000)
        #expect(limits.maxDepth == JSONLimits.deepest)
        limits.maxDepth = 1_000_000
        #expect(limits.maxDepth == JSONLimits.deepest)
        limits.maxDepth = -1
        #expect(limits.maxDepth == 0)
    }

    @Test("allow the size they name and refuse one byte more")
    func bytes() throws {
        let limits = JSONLimits(maxBytes: 4)
        _ = try JSONValue(parsing: "[12]", limits: limits)
        #expect(throws: JSONError.tooLarge) { try JSONValue(parsing: "[123]", limits: limits) }
        #expect(throws: JSONError.tooLarge) { try JSONScanner(Array("[123]".utf8), limits: limits) }
        #expect(throws: JSONError.tooLarge) { try JSONValue(parsing: " [12]", limits: limits) }
    }

    @Test("count members and elements of the whole document")
    func members() throws {
        let limits = JSONLimits(maxMembers: 4)
        _ = try JSONValue(parsing: #"[1,{"a":2},3]"#, limits: limits)
        #expect(throws: JSONError.tooManyMembers) { try JSONValue(parsing: #"[1,{"a":2},3,4]"#, limits: limits) }
        #expect(throws: JSONError.tooManyMembers) { try JSONScanner(Array("[1,2,3,4,5]".utf8), limits: limits) }
        #expect(throws: JSONError.tooManyMembers) {
            try JSONValue(parsing: "[[[[[]]]]]", limits: JSONLimits(maxMembers: 3))
        }
    }

    @Test("hold for names that are made to collide")
    func manyEquivalentNames() throws {
        // Marks of different classes may be reordered: thousands of byte-wise different names are one to String.
        let marks = ["\u{301}", "\u{323}", "\u{32D}", "\u{327}", "\u{334}", "\u{345}"]
        var names: [String] = [""]
        for _ in 0..<3 { names = names.flatMap { name in marks.map { name + $0 } } }
        let members = names.enumerated().map { "\"a\($1)\":\($0)" }.joined(separator: ",")
        let value = try JSONValue(parsing: "{\(members)}")
        #expect(value.object?.count == 216)
        #expect(value["a" + names[215]]?.int == 215)
    }
}
