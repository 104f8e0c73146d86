/// Builds the value tree of a document, one recursion per level.
struct JSONParser {
    private var lexer: JSONLexer
    private let maxDepth: Int
    private var members: Int

    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        lexer = JSONLexer(bytes)
        maxDepth = limits.maxDepth
        members = limits.maxMembers
    }

    /// Reads the one value that the input consists of.
    mutating func document() throws(JSONError) -> JSONValue {
        lexer.skipWhitespace()
        let value = try value(0)
        lexer.skipWhitespace()
        guard lexer.position == lexer.bytes.count else { throw .syntax(offset: lexer.position) }
        return value
    }

    private mutating func value(_ depth: Int) throws(JSONError) -> JSONValue {
        switch lexer.current {
        case UInt8(ascii: "\""): return .string(lexer.decode(try lexer.string()))
        case UInt8(ascii: "{"): return .object(try object(depth + 1))
        case UInt8(ascii: "["): return .array(try array(depth + 1))
        case UInt8(ascii: "t"):
            try lexer.literal("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try lexer.literal("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try lexer.literal("null")
            return .null
        default:
            let start = lexer.position
            try lexer.number()
            return .number(JSONNumber(scanned: lexer.lexeme(from: start)))
        }
    }

    private mutating func count() throws(JSONError) {
        members -= 1
        if members < 0 { throw .tooManyMembers }
    }

    private mutating func array(_ depth: Int) throws(JSONError) -> [JSONValue] {
        if depth > maxDepth { throw .depth }
        lexer.position += 1
        lexer.skipWhitespace()
        var elements: [JSONValue] = []
        if lexer.current == UInt8(ascii: "]") {
            lexer.position += 1
            return elements
        }
        elements.reserveCapacity(4)
        while true {
            try count()
            elements.append(try value(depth))
            lexer.skipWhitespace()
            if lexer.current == UInt8(ascii: ",") {
                lexer.position += 1
                lexer.skipWhitespace()
            } else {
                try lexer.expect(UInt8(ascii: "]"))
                return elements
            }
        }
    }

    private mutating func object(_ depth: Int) throws(JSONError) -> JSONObject {
        if depth > maxDepth { throw .depth }
        lexer.position += 1
        lexer.skipWhitespace()
        var entries: [JSONObject.Entry] = []
        if lexer.current == UInt8(ascii: "}") {
            lexer.position += 1
            return JSONObject()
        }
        entries.reserveCapacity(4)
        var seen = SeenNames()
        while true {
            try count()
            let offset = lexer.position
            let name = lexer.decode(try lexer.string())
            guard seen.isNew(name, among: entries) else { throw .duplicateName(offset: offset) }
            lexer.skipWhitespace()
            try lexer.expect(UInt8(ascii: ":"))
            lexer.skipWhitespace()
            entries.append(JSONObject.Entry(name: name, value: try value(depth)))
            lexer.skipWhitespace()
            if lexer.current == UInt8(ascii: ",") {
                lexer.position += 1
                lexer.skipWhitespace()
            } else {
                try lexer.expect(UInt8(ascii: "}"))
                return JSONObject(unchecked: entries)
            }
        }
    }
}

/// Tells repeated names: most are new by a filter, others by a walk in small objects and by a set in large ones, so that
/// many names cost no square.
private struct SeenNames {
    private static let walked = 16
    /// Bits that the names so far have set; a name whose bit is clear was not among them.
    private var filter = SIMD4<UInt64>()
    /// Bytes, not strings: strings that are canonically equivalent hash alike, and a peer could send thousands of them.
    private var set: Set<[UInt8]> = []

    mutating func isNew(_ name: String, among entries: [JSONObject.Entry]) -> Bool {
        // FNV-1a; who makes names collide only makes them be compared.
        var hash: UInt32 = 2_166_136_261
        var name = name
        name.withUTF8 { for byte in $0 { hash = (hash ^ UInt32(byte)) &* 16_777_619 } }
        let word = Int(hash >> 30)
        let bit = UInt64(1) << UInt64(hash >> 24 & 63)
        let isSurelyNew = filter[word] & bit == 0
        filter[word] |= bit
        if set.isEmpty {
            if isSurelyNew { return true }
            if entries.count < Self.walked { return !entries.contains { sameBytes($0.name, name) } }
            set = Set(entries.lazy.map { Array($0.name.utf8) })
        }
        return set.insert(Array(name.utf8)).inserted
    }
}
