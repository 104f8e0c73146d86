internal import Basics
internal import JSON

/// Finds members of object literals in a script for AM's own login page, without running the script.
///
/// A member's name may be quoted; of several members with one name the first counts.
struct ScriptMembers {
    private let text: [UInt8]

    init(_ text: String) {
        self.text = Array(text.utf8)
    }

    private init(_ text: ArraySlice<UInt8>) {
        self.text = Array(text)
    }

    /// The quoted text of a member; if the value is a call, the first argument.
    func text(_ name: String) -> String? {
        guard let value = value(name)?.prefix(while: { $0 != UInt8(ascii: "\n") }),
            let start = value.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }),
            let end = value[(start + 1)...].firstIndex(of: value[start])
        else { return nil }
        return String(validating: value[(start + 1)..<end], as: UTF8.self)
    }

    /// The whole number of a member, in double quotes or bare.
    func number(_ name: String) -> Int64? {
        value(name).flatMap { value in
            let digits = value.drop { $0 == UInt8(ascii: "\"") }.prefix { $0.isDigit }
            return Int64(String(decoding: digits, as: UTF8.self))
        }
    }

    /// The boolean of a member.
    func flag(_ name: String) -> Bool? {
        value(name).flatMap { $0.starts(with: "true".utf8) ? true : $0.starts(with: "false".utf8) ? false : nil }
    }

    /// The members of a nested object.
    func object(_ name: String) -> ScriptMembers? { enclosed(name, "{", "}").map { ScriptMembers($0) } }

    /// The list of a member, if it is valid JSON.
    func list(_ name: String) -> JSONValue? {
        enclosed(name, "[", "]").flatMap { try? JSONValue(parsing: [UInt8(ascii: "[")] + $0 + [UInt8(ascii: "]")]) }
    }

    /// The bytes of a member with the value `new Int8Array([…])`.
    func bytes(_ name: String) -> [UInt8]? {
        guard let value = value(name), let end = value.firstIndex(of: UInt8(ascii: ")")) else { return nil }
        return ScriptMembers(value[...end]).byteArrays.first
    }

    /// The bytes of every `Int8Array([…])` in the script, in order; each byte of the script is read once.
    var byteArrays: [[UInt8]] {
        var arrays: [[UInt8]] = []
        var read = text.startIndex
        for start in places(of: "Int8Array([") where start >= read {
            guard let end = text[start...].firstIndex(of: UInt8(ascii: "]")) else { break }
            read = end
            let numbers = text[start..<end].split(separator: UInt8(ascii: ","))
            let bytes = numbers.compactMap { number in
                Int(String(decoding: number.filter { $0 > 0x20 }, as: UTF8.self)).map { UInt8(truncatingIfNeeded: $0) }
            }
            if bytes.count == numbers.count { arrays.append(bytes) }
        }
        return arrays
    }

    /// The script from the value of a member on; nil if there is no such member.
    private func value(_ name: String) -> ArraySlice<UInt8>? {
        for end in places(of: name) {
            let start = end - name.utf8.count
            guard start == 0 || !text[start - 1].isWordByte else { continue }
            var rest = text[end...]
            if let first = rest.first, first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                rest = rest.dropFirst()
            }
            rest = rest.drop { $0 <= 0x20 }
            if rest.first == UInt8(ascii: ":") { return rest.dropFirst().drop { $0 <= 0x20 } }
        }
        return nil
    }

    /// The bytes between the brackets of a value; nil if it does not begin with the opening bracket.
    private func enclosed(_ name: String, _ open: Unicode.Scalar, _ close: Unicode.Scalar) -> ArraySlice<UInt8>? {
        guard let value = value(name), value.first == UInt8(ascii: open) else { return nil }
        var depth = 0
        var quote: UInt8?
        for (index, byte) in zip(value.indices, value) {
            if let mark = quote {
                if byte == mark { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: open) {
                depth += 1
            } else if byte == UInt8(ascii: close) {
                depth -= 1
                if depth == 0 { return value[(value.startIndex + 1)..<index] }
            }
        }
        return nil
    }

    /// The positions after each occurrence of a text.
    private func places(of wanted: String) -> [Int] {
        let wanted = Array(wanted.utf8)
        guard text.count >= wanted.count else { return [] }
        return (0...(text.count - wanted.count)).compactMap { start in
            text[start] == wanted[0] && text[start..<(start + wanted.count)].elementsEqual(wanted)
                ? start + wanted.count : nil
        }
    }
}
