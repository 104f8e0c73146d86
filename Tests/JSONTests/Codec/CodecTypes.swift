/// Types for the codec to write and read.
struct Inner: Codable, Sendable, Equatable {
    var flag = false
    var text = "ß/\""
    var Zebra = 1
    var apple: UInt8 = 2
}

struct Outer: Codable, Sendable, Equatable {
    var inner = Inner()
    var list = [Inner(), Inner(flag: true)]
    var maybe: Inner? = Inner(text: "")
    var names: [String: [Int?]] = ["b": [1, nil], "a": []]
    var pairs: [Int: Suit] = [2: .hearts]
    var fraction = 2.0
}

struct Widths: Codable, Sendable, Equatable {
    var a = Int8.min
    var b = Int16.min
    var c = Int32.min
    var d = Int64.min
    var e = UInt8.max
    var f = UInt16.max
    var g = UInt32.max
    var h = UInt64.max
    var i = UInt.max
    var j = Int.min
    var k: Float = 0.1
    var l = 1e100
    var m = true
}

enum Suit: String, Codable, Sendable {
    case clubs
    case hearts = "\u{2665}"
}

indirect enum Event: Codable, Sendable, Equatable {
    case moved(x: Int, y: Int)
    case named(String, Inner)
    case both(Event, Event)
    case ended
}

class Person: Codable {
    let name: String

    init() {
        name = "A"
    }
}

/// Encodes its superclass by `super`, in a container of its own.
///
/// Sendable invariant: immutable, and so is its superclass.
final class Student: Person, Equatable, @unchecked Sendable {
    private enum Key: CodingKey {
        case number
    }

    private let number: Int

    override init() {
        number = 7
        super.init()
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        number = try container.decode(Int.self, forKey: .number)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try super.encode(to: container.superEncoder())
        try container.encode(number, forKey: .number)
    }

    static func == (left: Student, right: Student) -> Bool { left.name == right.name && left.number == right.number }
}

/// Opens every container by hand, and writes to two at a time.
struct ByHand: Codable, Sendable, Equatable {
    private enum Key: CodingKey {
        case object
        case array
        case above
        case last
        case null
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let object = try container.nestedContainer(keyedBy: Key.self, forKey: .object)
        var array = try container.nestedUnkeyedContainer(forKey: .array)
        var inner = try array.nestedUnkeyedContainer()
        let deepest = try array.nestedContainer(keyedBy: Key.self)
        let above = try container.superDecoder(forKey: .above).singleValueContainer()
        let isRight = try [
            object.decode(Int.self, forKey: .array) == 1, object.decode(Int.self, forKey: .last) == 3,
            inner.decode(Int8.self) == 4, inner.decodeNil(), inner.decode(String.self) == "x", inner.isAtEnd,
            deepest.decode(Bool.self, forKey: .object), try Int(from: array.superDecoder()) == 6, array.isAtEnd,
            above.decode(Double.self) == 5, container.decodeNil(forKey: .null),
            container.decode(String.self, forKey: .last) == "second",
            decoder.container(keyedBy: Key.self).allKeys.count == 5, !object.contains(.above),
            object.decodeIfPresent(Int.self, forKey: .above) == nil,
            container.decodeIfPresent(Int.self, forKey: .null) == nil,
        ].allSatisfy { $0 }
        guard isRight else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "differs"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
        try container.encode("first", forKey: .last)
        var array = container.nestedUnkeyedContainer(forKey: .array)
        try object.encode(1, forKey: .array)
        var inner = array.nestedUnkeyedContainer()
        var deepest = array.nestedContainer(keyedBy: Key.self)
        try inner.encode(4 as Int8)
        try inner.encodeNil()
        try 6.encode(to: array.superEncoder())
        try inner.encode("x")
        try deepest.encode(true, forKey: .object)
        // Opened a second time it goes on.
        var again = container.nestedContainer(keyedBy: Key.self, forKey: .object)
        try again.encode(3, forKey: .last)
        var above = container.superEncoder(forKey: .above).singleValueContainer()
        try above.encode(5.0)
        try container.encodeNil(forKey: .null)
        var same = encoder.container(keyedBy: Key.self)
        try same.encode("second", forKey: .last)
    }
}

struct Wrapped: Codable, Sendable, Equatable {
    var text: String

    init(text: String) {
        self.text = text
    }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

struct Generic<Value: Codable & Equatable & Sendable>: Codable, Sendable, Equatable {
    var value: Value
}

/// One object in another, as many as asked for.
final class Chain: Codable, Equatable, Sendable {
    let next: Chain?

    init(length: Int) {
        next = length > 1 ? Chain(length: length - 1) : nil
    }

    var length: Int {
        var length = 1
        var node = self
        while let next = node.next { (length, node) = (length + 1, next) }
        return length
    }

    static func == (left: Chain, right: Chain) -> Bool { left.length == right.length }
}
