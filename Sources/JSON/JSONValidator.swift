/// Where a top-level member was found.
struct ScannedMember: Sendable {
    /// The name between its quotes.
    let name: Range<Int>
    /// True if the name has escapes.
    let escaped: Bool
    /// Where the value lies.
    let value: Range<Int>
}

/// Checks a document without building values; refuses exactly what `JSONParser` refuses.
struct JSONValidator {
    /// A member name of an object that is still open.
    private struct Name {
        let text: JSONLexer.Text
        let hash: UInt32
    }

    private var lexer: JSONLexer
    private let maxDepth: Int
    private var members: Int
    /// Names of all open objects, innermost last.
    private var names: [Name] = []
    /// The members of the outermost object.
    private(set) var topLevel: [ScannedMember] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        lexer = JSONLexer(bytes)
        maxDepth = limits.maxDepth
        members = limits.maxMembers
    }

    /// Checks the one value that the input consists of and returns where it is.
    mutating func document() throws(JSONError) -> Range<Int> {
        lexer.skipWhitespace()
        let start = lexer.position
        try value(0)
        let range = start..<lexer.position
        lexer.skipWhitespace()
        guard lexer.position == lexer.bytes.count else { throw .syntax(offset: lexer.position) }
        return range
    }

    private mutating func value(_ depth: Int) throws(JSONError) {
        switch lexer.current {
        case UInt8(ascii: "\""): _ = try lexer.string()
        case UInt8(ascii: "{"): try object(depth + 1)
        case UInt8(ascii: "["): try array(depth + 1)
        case UInt8(ascii: "t"): try lexer.literal("true")
        case UInt8(ascii: "f"): try lexer.literal("false")
        case UInt8(ascii: "n"): try lexer.literal("null")
        default: try lexer.number()
        }
    }

    private mutating func count() throws(JSONError) {
        members -= 1
        if members < 0 { throw .tooManyMembers }
    }

    private mutating func array(_ depth: Int) throws(JSONError) {
        if depth > maxDepth { throw .depth }
        lexer.position += 1
        lexer.skipWhitespace()
        if lexer.current == UInt8(ascii: "]") {
            lexer.position += 1
            return
        }
        while true {
            try count()
            try value(depth)
            lexer.skipWhitespace()
            guard lexer.current == UInt8(ascii: ",") else { return try lexer.expect(UInt8(ascii: "]")) }
            lexer.position += 1
            lexer.skipWhitespace()
        }
    }

    private mutating func object(_ depth: Int) throws(JSONError) {
        if depth > maxDepth { throw .depth }
        lexer.position += 1
        lexer.skipWhitespace()
        if lexer.current == UInt8(ascii: "}") {
            lexer.position += 1
            return
        }
        let outer = names.count
        var seen: Set<[UInt8]> = []
        while true {
            try count()
            let offset = lexer.position
            let name = try lexer.string()
            guard remember(name, since: outer, &seen) else { throw .duplicateName(offset: offset) }
            lexer.skipWhitespace()
            try lexer.expect(UInt8(ascii: ":"))
            lexer.skipWhitespace()
            let start = lexer.position
            try value(depth)
            if depth == 1 && outer == 0 {
                topLevel.append(ScannedMember(name: name.range, escaped: name.escaped, value: start..<lexer.position))
            }
            lexer.skipWhitespace()
            guard lexer.current == UInt8(ascii: ",") else { break }
            lexer.position += 1
            lexer.skipWhitespace()
        }
        names.removeSubrange(outer...)
        try lexer.expect(UInt8(ascii: "}"))
    }

    /// Notes a name of the innermost open object; false when it is there already.
    private mutating func remember(_ name: JSONLexer.Text, since outer: Int, _ seen: inout Set<[UInt8]>) -> Bool {
        let hash = name.escaped ? Self.hash(lexer.unescaped(name)) : Self.hash(lexer.bytes[name.range])
        if names.count - outer < 16 {
            for earlier in names[outer...] where earlier.hash == hash {
                if same(earlier.text, name) { return false }
            }
        } else {
            if seen.isEmpty { seen = Set(names[outer...].map { lexer.unescaped($0.text) }) }
            guard seen.insert(lexer.unescaped(name)).inserted else { return false }
        }
        names.append(Name(text: name, hash: hash))
        return true
    }

    private func same(_ left: JSONLexer.Text, _ right: JSONLexer.Text) -> Bool {
        if left.escaped || right.escaped { return lexer.unescaped(left) == lexer.unescaped(right) }
        return lexer.bytes[left.range].elementsEqual(lexer.bytes[right.range])
    }

    /// FNV-1a, only to tell most names apart quickly; equality is always checked.
    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash
    }
}
