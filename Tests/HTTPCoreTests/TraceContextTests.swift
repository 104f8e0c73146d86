import HTTPCore
import Testing

@Suite("A trace context")
struct TraceContextTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
    static let parents: [(String, String?)] = [
        ("00-\(id)-01", "00-\(id)-01"), ("00-\(id)-00", "00-\(id)-00"), ("cc-\(id)-01", "00-\(id)-01"),
        ("01-\(id)-01-more", "00-\(id)-01"), ("", nil), ("00", nil), ("ff-\(id)-01", nil), ("00-\(id)-01-more", nil),
        ("00-\(id)-01x", nil), ("01-\(id)-01x", nil), ("00-\(id)-0", nil), ("00-\(id)-0g", nil),
        ("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", nil),
        ("00-00000000000000000000000000000000-00f067aa0ba902b7-01", nil),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01", nil), ("00_\(id)_01", nil),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b-011", nil),
        ("00-4bf92f3577b34da6a3ce929d0e0e473\"-00f067aa0ba902b7-01", nil),
    ]

    @Test("is read of a well-formed field alone", arguments: parents.indices)
    func reads(_ index: Int) {
        let (field, expected) = Self.parents[index]
        #expect(TraceContext(traceparent: field)?.traceparent == expected)
    }

    static let states: [([String], String?)] = [
        (["rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"], "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        (["a=1 , b=2"], "a=1 , b=2"), (["a=1", "b=2"], "a=1,b=2"), (["a=1,,b=2"], "a=1,,b=2"),
        (["0te_-*/ant@vendor=a b"], "0te_-*/ant@vendor=a b"),
        (["a=" + String(repeating: "x", count: 256)], "a=" + String(repeating: "x", count: 256)),
        ([(0..<32).map { "k\($0)=1" }.joined(separator: ",")], (0..<32).map { "k\($0)=1" }.joined(separator: ",")),
        ([], nil), ([""], nil), ([","], nil), (["a"], nil), (["a="], nil), (["=1"], nil), (["A=1"], nil),
        (["a=1=2"], nil), (["a=1,a=2"], nil), (["a=\u{E9}"], nil), (["a=1\r\nX: y"], nil), (["a=1", "b"], nil),
        (["a=" + String(repeating: "x", count: 257)], nil), (["_a=1"], nil),
        ([(0..<33).map { "k\($0)=1" }.joined(separator: ",")], nil),
        (["a=" + String(repeating: "x", count: 254), "b=" + String(repeating: "x", count: 254)], nil),
    ]

    @Test("keeps a state that is well-formed and within 512 bytes, unchanged, and no other", arguments: states.indices)
    func state(_ index: Int) throws {
        let (fields, expected) = Self.states[index]
        let context = try #require(TraceContext(traceparent: "00-\(Self.id)-01", tracestate: fields))
        #expect(context.state == expected)
        #expect(context.child(random: [UInt8](repeating: 7, count: 8)).state == expected)
    }

    @Test("of a call made for another one has its trace, flags and state, and a span of its own")
    func child() throws {
        let context = try #require(TraceContext(traceparent: "00-\(Self.id)-03", tracestate: ["a=1"]))
        let child = context.child(random: [0, 1, 2, 3, 4, 5, 0xAB, 0xFF])
        #expect(child.traceparent == "00-4bf92f3577b34da6a3ce929d0e0e4736-000102030405abff-03")
        #expect(child.state == "a=1")
    }

    @Test("begins unasked, and never with an id that means none")
    func begins() {
        let begun = TraceContext(random: [UInt8](1...24))
        #expect(begun.traceparent == "00-0102030405060708090a0b0c0d0e0f10-1112131415161718-00" && begun.state == nil)
        let unlucky = TraceContext(random: [UInt8](repeating: 0, count: 24))
        #expect(TraceContext(traceparent: unlucky.traceparent) == unlucky)
        #expect(TraceContext(traceparent: begun.child(random: [UInt8](repeating: 0, count: 8)).traceparent) != nil)
    }
}
