/// A closed set of member names, so that one walk over an object finds all members that have one of them.
///
/// A name is found by its length, its first and its last byte, and then compared byte for byte.
package struct JSONNames: Sendable {
    private static let slots = 128
    private let names: [[UInt8]]
    /// Per slot the first name, and per name the next one of its slot, as a number from 1; 0 ends the list.
    private let first: [UInt8]
    private let following: [UInt8]

    /// Makes a set; the number of a name is its position.
    ///
    /// - Precondition: At most 255 names, each different from the others and not empty.
    package init(_ names: [String]) {
        precondition(names.count < 256 && names.allSatisfy { !$0.isEmpty }, "no such names")
        self.names = names.map { Array($0.utf8) }
        var first = [UInt8](repeating: 0, count: Self.slots)
        var following = [UInt8](repeating: 0, count: names.count)
        for (number, name) in self.names.enumerated() {
            let slot = name.withUnsafeBytes { Self.slot($0) }
            following[number] = first[slot]
            first[slot] = UInt8(number + 1)
        }
        self.first = first
        self.following = following
    }

    /// The number of names.
    package var count: Int { names.count }

    /// The number of a name; nil for one that is not in the set.
    @inline(__always)
    func number(of name: UnsafeRawBufferPointer) -> Int? {
        guard !name.isEmpty else { return nil }
        var candidate = Int(first[Self.slot(name)])
        while candidate > 0 {
            if names[candidate - 1].withUnsafeBytes({ sameBytes($0, name) }) { return candidate - 1 }
            candidate = Int(following[candidate - 1])
        }
        return nil
    }

    @inline(__always)
    private static func slot(_ name: UnsafeRawBufferPointer) -> Int {
        (name.count &* 37 ^ Int(name[0]) &* 5 ^ Int(name[name.count - 1]) &* 11) & (slots - 1)
    }
}

/// The members of an object that have the names of a set, found by one walk over the object.
///
/// A member is named by the number of its name in the set. What is asked of a member is read from the document itself:
/// no value is made to compare a text or to find out that a member is present.
package struct JSONMembers: Sendable {
    /// The object, with all of its members.
    package let object: JSONObject
    /// Per name the place of the value in the document, or of the member among those made here from 1; 0 for none.
    private let places: [UInt32]

    /// Finds the members.
    package init(_ object: JSONObject, _ names: JSONNames) {
        self.object = object
        switch object.storage {
        case .read(let source, let index): places = source.places(of: names, in: Int(index))
        case .made(let members):
            var places = [UInt32](repeating: 0, count: names.count)
            for (index, member) in members.enumerated() {
                var name = member.name
                if let number = name.withUTF8({ names.number(of: UnsafeRawBufferPointer($0)) }) {
                    places[number] = UInt32(index + 1)
                }
            }
            self.places = places
        }
    }

    /// True if the member is present, `null` included.
    package func has(_ number: Int) -> Bool { places[number] != 0 }

    /// The value of the member; nil for none (`.null` is a value).
    package subscript(number: Int) -> JSONValue? {
        let place = Int(places[number])
        guard place > 0 else { return nil }
        switch object.storage {
        case .made(let members): return members[place - 1].value
        case .read(let source, _): return source.value(place)
        }
    }

    /// The kind of the member's value; nil for no member.
    package func kind(_ number: Int) -> JSONKind? {
        let place = Int(places[number])
        guard place > 0 else { return nil }
        switch object.storage {
        case .made(let members): return members[place - 1].value.kind
        case .read(let source, _): return source.kind(place)
        }
    }

    /// The text of the member; nil for another kind of value.
    package func string(_ number: Int) -> String? {
        kind(number) == .string ? self[number]?.string : nil
    }

    /// The number of the member when it is whole and fits; nil for anything else.
    ///
    /// `3.0` and `3e0` are whole.
    package func int(_ number: Int) -> Int64? {
        guard kind(number) == .number else { return nil }
        if case .read(let source, _) = object.storage, let value = source.plainInt(Int(places[number])) { return value }
        return self[number]?.int
    }

    /// True if the member is this text; with `ignoringCase`, `word` is in lower case and ASCII letters match both.
    package func isText(_ number: Int, _ word: StaticString, ignoringCase: Bool = false) -> Bool {
        guard kind(number) == .string else { return false }
        func isSought(_ bytes: UnsafeRawBufferPointer) -> Bool {
            ignoringCase ? bytes.isWord(word) : sameBytes(bytes, UnsafeRawBufferPointer(word))
        }
        switch object.storage {
        case .made: return withBytes(of: self[number]?.string ?? "", isSought)
        case .read(let source, _): return source.withText(Int(places[number]), isSought)
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate init(_ text: StaticString) {
        self.init(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// True if the bytes are this word, which is in lower case, in any case of ASCII letters.
    package func isWord(_ lower: StaticString) -> Bool {
        guard count == lower.utf8CodeUnitCount else { return false }
        for (index, byte) in enumerated() {
            let isUpper = byte &- UInt8(ascii: "A") < 26
            guard (isUpper ? byte | 0x20 : byte) == lower.utf8Start[index] else { return false }
        }
        return true
    }
}

extension JSONValue {
    /// The kind of the value.
    package var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .number: .number
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }
}
