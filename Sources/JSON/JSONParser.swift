/// Reads a document and notes where its values lie, one recursion per level.
struct JSONParser {
    private var lexer: JSONLexer
    private let maxDepth: Int
    private var members: Int
    private var nodes: [JSONSource.Node] = []
    /// How many texts had escapes so far.
    private var escapes = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        lexer = JSONLexer(bytes)
        maxDepth = limits.maxDepth
        members = limits.maxMembers
        // A name, a value and what is around them take some ten bytes each; what is short is mostly punctuation.
        nodes.reserveCapacity(8 + bytes.count / 10)
    }

    /// The one value that a document consists of.
    ///
    /// - Throws: What is wrong, with the byte offset where there is one.
    static func value(of bytes: [UInt8], limits: JSONLimits) throws(JSONError) -> JSONValue {
        // Places are kept in 32 bits.
        if bytes.count > min(limits.maxBytes, Int(Int32.max)) { throw .tooLarge }
        let nodes = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            var parser = JSONParser(buffer, limits: limits)
            try parser.document()
            return parser.nodes
        }
        return JSONSource(bytes, nodes).value(0)
    }

    private mutating func document() throws(JSONError) {
        lexer.skipWhitespace()
        try value(0)
        lexer.skipWhitespace()
        guard lexer.position == lexer.bytes.count else { throw .syntax(offset: lexer.position) }
    }

    private mutating func value(_ depth: Int) throws(JSONError) {
        let start = lexer.position
        switch lexer.current {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try object(depth + 1)
        case UInt8(ascii: "["): try array(depth + 1)
        case UInt8(ascii: "t"):
            try lexer.literal("true")
            scalar(.bool, from: start)
        case UInt8(ascii: "f"):
            try lexer.literal("false")
            scalar(.bool, from: start)
        case UInt8(ascii: "n"):
            try lexer.literal("null")
            scalar(.null, from: start)
        default:
            try lexer.number()
            scalar(.number, from: start)
        }
    }

    private mutating func scalar(_ kind: JSONKind, from start: Int) {
        nodes.append(JSONSource.Node(kind, start..<lexer.position, next: nodes.count + 1))
    }

    private mutating func string() throws(JSONError) {
        let text = try lexer.string()
        if text.escaped { escapes &+= 1 }
        nodes.append(JSONSource.Node(.string, text.range, next: nodes.count + 1, isRewritten: text.escaped))
    }

    private mutating func count() throws(JSONError) {
        members -= 1
        if members < 0 { throw .tooManyMembers }
    }

    /// Notes where an array or object begins; `end` completes the note.
    private mutating func begin(_ kind: JSONKind, _ depth: Int) throws(JSONError) -> Opened {
        if depth > maxDepth { throw .depth }
        let opened = Opened(node: nodes.count, blanks: lexer.blanks, escapes: escapes)
        nodes.append(JSONSource.Node(kind, lexer.position..<lexer.position, next: 0))
        lexer.position += 1
        lexer.skipWhitespace()
        return opened
    }

    private mutating func end(_ opened: Opened, count: Int) {
        nodes[opened.node].close(
            at: lexer.position, next: nodes.count, count: count,
            isRewritten: lexer.blanks != opened.blanks || escapes != opened.escapes)
    }

    /// Steps over a comma or closing bracket; true if another element or member follows.
    @inline(__always)
    private mutating func goesOn(until bracket: UInt8) throws(JSONError) -> Bool {
        lexer.skipWhitespace()
        if lexer.current == UInt8(ascii: ",") {
            lexer.position += 1
            lexer.skipWhitespace()
            return true
        }
        try lexer.expect(bracket)
        return false
    }

    private mutating func array(_ depth: Int) throws(JSONError) {
        let opened = try begin(.array, depth)
        var elements = 0
        if lexer.current == UInt8(ascii: "]") {
            lexer.position += 1
        } else {
            repeat {
                try count()
                try value(depth)
                elements += 1
            } while try goesOn(until: UInt8(ascii: "]"))
        }
        end(opened, count: elements)
    }

    private mutating func object(_ depth: Int) throws(JSONError) {
        let opened = try begin(.object, depth)
        var names = SeenNames(first: nodes.count)
        if lexer.current == UInt8(ascii: "}") {
            lexer.position += 1
        } else {
            repeat {
                try count()
                let offset = lexer.position
                try string()
                guard names.isNew(nodes, lexer) else { throw .duplicateName(offset: offset) }
                lexer.skipWhitespace()
                try lexer.expect(UInt8(ascii: ":"))
                lexer.skipWhitespace()
                try value(depth)
            } while try goesOn(until: UInt8(ascii: "}"))
        }
        end(opened, count: names.count)
    }

    /// An array or object whose end has not come yet.
    private struct Opened {
        let node: Int
        let blanks: Int
        let escapes: Int
    }
}

/// Tells repeated names of one object: most are new by a filter, others by a walk in small objects and by a set in large
/// ones, so that many names cost no square.
private struct SeenNames {
    private static let walked = 16
    private let first: Int
    private(set) var count = 0
    /// Bits that the names so far have set; a name whose bit is clear was not among them.
    private var filter = SIMD4<UInt64>()
    private var set: Set<[UInt8]> = []

    init(first: Int) { self.first = first }

    /// True if the last node is a name that the object did not have yet.
    mutating func isNew(_ nodes: [JSONSource.Node], _ lexer: JSONLexer) -> Bool {
        let name = nodes[nodes.count - 1]
        // FNV-1a; an attacker who makes names collide only causes them to be compared.
        var hash: UInt32 = 2_166_136_261
        if name.isRewritten {
            for byte in spelled(name, lexer) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        } else {
            for index in name.range { hash = (hash ^ UInt32(lexer.bytes[index])) &* 16_777_619 }
        }
        let word = Int(hash >> 30)
        let bit = UInt64(1) << UInt64(hash >> 24 & 63)
        let isSurelyNew = filter[word] & bit == 0
        filter[word] |= bit
        count += 1
        if set.isEmpty {
            if isSurelyNew { return true }
            let others = Earlier(at: first, nodes)
            if count <= Self.walked { return !others.contains { same($0, name, lexer) } }
            set = Set(others.map { spelled($0, lexer) })
        }
        return set.insert(spelled(name, lexer)).inserted
    }

    /// The names before the last one.
    private struct Earlier: Sequence, IteratorProtocol {
        private var position: Int
        private let nodes: [JSONSource.Node]

        init(at position: Int, _ nodes: [JSONSource.Node]) {
            self.position = position
            self.nodes = nodes
        }

        mutating func next() -> JSONSource.Node? {
            guard position < nodes.count - 1 else { return nil }
            defer { position = Int(nodes[position + 1].next) }
            return nodes[position]
        }
    }

    private func same(_ left: JSONSource.Node, _ right: JSONSource.Node, _ lexer: JSONLexer) -> Bool {
        if left.isRewritten || right.isRewritten { return spelled(left, lexer) == spelled(right, lexer) }
        return lexer.bytes[left.range].elementsEqual(lexer.bytes[right.range])
    }

    private func spelled(_ name: JSONSource.Node, _ lexer: JSONLexer) -> [UInt8] {
        lexer.unescaped(JSONLexer.Text(range: name.range, escaped: name.isRewritten))
    }
}
