extension HTTPField {
    /// The name of a header field: a token, compared without regard to the case of ASCII letters (RFC 9110 section 5.1).
    ///
    /// A well-known name has a number that it is compared by; any other name is compared by its bytes.
    public struct Name: Sendable {
        /// The longest name that is accepted from outside, in bytes.
        public static let longest = 256

        /// The number of a well-known name, from 1; 0 for any other name.
        let number: UInt8
        /// The name as given and as sent.
        public let rawName: String

        init(number: UInt8, text: String) {
            self.number = number
            rawName = text
        }

        /// Makes a name from text that comes from outside the program.
        ///
        /// - Parameter text: 1 to 256 token characters, in any case; kept as given.
        /// - Throws: `HTTPFieldError.name` for anything else.
        public init(checking text: String) throws(HTTPFieldError) {
            var text = text
            guard let number = text.withUTF8({ Self.checkedNumber(UnsafeRawBufferPointer($0)) }) else { throw .name }
            self.init(number: number, text: text)
        }

        /// Makes a name from borrowed bytes, such as a line of a head, see `init(checking:)` for text.
        public init(checking bytes: UnsafeRawBufferPointer) throws(HTTPFieldError) {
            guard let number = Self.checkedNumber(bytes) else { throw .name }
            self.init(number: number, text: String(decoding: bytes, as: UTF8.self))
        }

        /// The number of a token; nil for bytes that are no token.
        private static func checkedNumber(_ bytes: UnsafeRawBufferPointer) -> UInt8? {
            guard 1...longest ~= bytes.count, bytes.allSatisfy(Grammar.isTokenByte) else { return nil }
            return number(of: bytes)
        }

        /// The name with its ASCII letters in lower case.
        public var canonicalName: String {
            rawName.utf8.contains { (0x41...0x5A).contains($0) } ? rawName.lowercased() : rawName
        }

        /// The number of a name, 0 if it is not well known; only names of the same length are compared.
        private static func number(of bytes: UnsafeRawBufferPointer) -> UInt8 {
            guard bytes.count < byLength.count else { return 0 }
            for number in byLength[bytes.count] {
                let known = wellKnown[Int(number) - 1].utf8Start
                var same = true
                for index in bytes.indices where folded(bytes[index]) != folded(known[index]) {
                    same = false
                    break
                }
                if same { return number }
            }
            return 0
        }

        /// The numbers of the well-known names, by their length.
        private static let byLength: [[UInt8]] = {
            var table: [[UInt8]] = []
            for (place, name) in wellKnown.enumerated() {
                let length = name.utf8CodeUnitCount
                while table.count <= length { table.append([]) }
                table[length].append(UInt8(place + 1))
            }
            return table
        }()

        private static func folded(_ byte: UInt8) -> UInt8 {
            byte &- 0x41 < 26 ? byte | 0x20 : byte
        }
    }
}

extension HTTPField.Name: Hashable {
    /// Compares by number, or by bytes without regard to the case of ASCII letters.
    public static func == (left: HTTPField.Name, right: HTTPField.Name) -> Bool {
        if left.number != 0 || right.number != 0 { return left.number == right.number }
        let (one, other) = (left.rawName.utf8, right.rawName.utf8)
        return one.count == other.count && zip(one, other).allSatisfy { folded($0) == folded($1) }
    }

    /// Hashes the name so that equal names have equal hashes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        if number == 0 { for byte in rawName.utf8 { hasher.combine(Self.folded(byte)) } }
    }
}

extension HTTPField.Name: ExpressibleByStringLiteral {
    /// Makes a name from a literal in the program; a literal that is no token is a programming error and traps.
    public init(stringLiteral literal: StaticString) {
        let bytes = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        do {
            try self.init(checking: bytes)
        } catch {
            preconditionFailure("\(literal) is no field name")
        }
    }
}

extension HTTPField.Name: CustomStringConvertible {
    /// The name as given.
    public var description: String { rawName }
}
