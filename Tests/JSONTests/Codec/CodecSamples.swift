import Foundation
import JSON
import Testing

/// A value whose text the codec and Foundation must agree on.
struct CodecSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let ours: @Sendable () throws -> String
    let foundations: @Sendable () throws -> String
    /// Whether the codec reads the value back from Foundation's text, and Foundation from the codec's.
    let isReadAcross: @Sendable () throws -> Bool

    init<Value: Codable & Equatable & Sendable>(_ name: String, _ value: Value) {
        testDescription = name
        ours = { try Self.codec.text(of: value) }
        foundations = { String(decoding: try Self.encoder.encode(value), as: UTF8.self) }
        isReadAcross = {
            let ours = try Self.codec.encode(value)
            let theirs = try Self.encoder.encode(value)
            let read = try Self.codec.decode(Value.self, from: Array(theirs))
            return try read == value && JSONDecoder().decode(Value.self, from: Data(ours)) == value
        }
    }

    /// Bounded by the stack alone, as Foundation's.
    static let codec = JSONCodec(
        limits: JSONLimits(maxBytes: .max, maxDepth: JSONLimits.deepest, maxMembers: .max))

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }
}

extension CodecSample {
    static let all: [CodecSample] = kinds + numbers + texts + shapes

    private static let kinds: [CodecSample] = [
        CodecSample("true", true),
        CodecSample("nothing", Int?.none),
        CodecSample("an optional that is there", Int?.some(3)),
        CodecSample("optionals in an array", [1, nil, 3]),
        CodecSample("an array of nothing", [Int]()),
        CodecSample("a dictionary of nothing", [String: Int]()),
        CodecSample("nested arrays", [[[1], []], [[2, 3]], []]),
        CodecSample("bytes", [0, 1, 127, 255] as [UInt8]),
        CodecSample("a set of one", Set(["a"])),
        CodecSample("a range", 1..<5),
        CodecSample("a date", Date(timeIntervalSinceReferenceDate: 743_212_800.125)),
        CodecSample("a date before its epoch", [Date(timeIntervalSince1970: 0)]),
        CodecSample("a UUID", UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        CodecSample("a JSON value, as a string of its text", JSONValue.object(["b": 1, "a": [nil, true]])),
        CodecSample("a duration", Duration.milliseconds(1500)),
    ]

    private static let numbers: [CodecSample] = [
        CodecSample("the widest whole numbers", [Int64.min, Int64.max, 0, -1]),
        CodecSample("the widest unsigned number", [UInt64.max, 0]),
        CodecSample("small whole numbers", [Int8.min, Int8.max]),
        CodecSample("each width", Widths()),
        CodecSample("fractions", [0.1, 1.5, -2.25, 1.0 / 3, 3.141592653589793]),
        CodecSample("fractions that are whole", [0, 1, -1, 100000, 1e15, 9_007_199_254_740_993.0]),
        CodecSample("zero with a sign", [-0.0]),
        CodecSample("exponents", [1e16, 1e-7, 1.2345678901234568e17, 1e300, -1e-300]),
        CodecSample(
            "the ends of Double", [Double.greatestFiniteMagnitude, .leastNormalMagnitude, .leastNonzeroMagnitude]),
        CodecSample("the ends of Float", [Float.greatestFiniteMagnitude, .leastNormalMagnitude, 0.1, 16_777_216]),
    ]

    private static let texts: [CodecSample] = [
        CodecSample("no text", ""),
        CodecSample(
            "every ASCII character", String(String.UnicodeScalarView((0..<128).compactMap(Unicode.Scalar.init)))),
        CodecSample("delete and the C1 controls", "\u{7F}\u{80}\u{85}\u{9F}"),
        CodecSample("the separators of lines and paragraphs", "a\u{2028}b\u{2029}c"),
        CodecSample("a slash", "</script>"),
        CodecSample("characters outside the basic plane", "\u{1F600}\u{10FFFF}\u{1D11E}"),
        CodecSample("marks and byte order marks", "e\u{301}\u{E9}\u{FEFF}\u{FFFE}\u{FFFF}"),
        CodecSample("escapes at both ends", "\"a\\"),
        CodecSample(
            "names by their bytes",
            [
                "b": 1, "a": 2, "B": 3, "A": 4, "10": 5, "9": 6, "\u{E9}": 7, "z": 8, "\u{1F600}": 9, "\u{FFFD}": 10,
                "e\u{301}x": 11, "ez": 12, "a b": 13, "ab": 14, "_": 15, "": 16, "a\"": 17, "a/": 18, "\u{0}": 19,
            ]),
        CodecSample("names that are numbers", [3: "a", 10: "b", -1: "c"]),
        CodecSample("pairs for keys that are neither", [Suit.clubs: 1]),
        CodecSample("forty names", Dictionary(uniqueKeysWithValues: (0..<40).map { ("name\($0)", $0) })),
    ]

    private static let shapes: [CodecSample] = [
        CodecSample("a struct in a struct", Outer()),
        CodecSample("a struct without what is optional", Outer(inner: Inner(), list: [], maybe: nil)),
        CodecSample("an enum by its raw value", [Suit.clubs, .hearts]),
        CodecSample("an enum with labelled payload", Event.moved(x: 1, y: -2)),
        CodecSample("an enum with payload of no name", [Event.named("x", Inner()), .ended]),
        CodecSample("an enum that holds itself", Event.both(.ended, .both(.moved(x: 0, y: 0), .ended))),
        CodecSample("a class above another", Student()),
        CodecSample("containers in containers", ByHand()),
        CodecSample("a wrapper that is a single value", [Wrapped(text: "a"), Wrapped(text: "b")]),
        CodecSample("a wrapper of nothing in particular", Generic(value: [Generic(value: "x")])),
        CodecSample("the deepest", Chain(length: 500)),
    ]
}
