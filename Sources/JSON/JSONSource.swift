/// A document that has been read: its bytes, and where each value and each name lies in them.
///
/// Values are made of it when they are asked for, one level at a time: of a page of which a few members are looked at, the
/// others cost their check alone.
final class JSONSource: Sendable {
    /// Where a value or a name lies, and what it is.
    struct Node: Sendable {
        /// The first byte; of texts and names the one behind the quotation mark.
        let start: UInt32
        /// Behind the last byte; of texts and names the closing quotation mark.
        fileprivate(set) var end: UInt32
        /// The number of the node that follows this one and all that is in it.
        fileprivate(set) var next: UInt32
        /// Of arrays and objects how many elements or members there are.
        fileprivate(set) var count: UInt32
        let kind: JSONKind
        /// True if the bytes differ from compact JSON: escapes in a text, white space, or such texts inside.
        fileprivate(set) var isRewritten: Bool

        init(_ kind: JSONKind, _ range: Range<Int>, next: Int, isRewritten: Bool = false) {
            (start, end) = (UInt32(truncatingIfNeeded: range.lowerBound), UInt32(truncatingIfNeeded: range.upperBound))
            self.next = UInt32(truncatingIfNeeded: next)
            count = 0
            self.kind = kind
            self.isRewritten = isRewritten
        }

        /// Closes an array or object.
        mutating func close(at end: Int, next: Int, count: Int, isRewritten: Bool) {
            self.end = UInt32(truncatingIfNeeded: end)
            self.next = UInt32(truncatingIfNeeded: next)
            self.count = UInt32(truncatingIfNeeded: count)
            self.isRewritten = isRewritten
        }

        var range: Range<Int> { Int(start)..<Int(end) }
    }

    private let bytes: [UInt8]
    private let nodes: [Node]

    init(_ bytes: [UInt8], _ nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    /// The value of a node: objects are looked into later, elements of arrays are made now.
    func value(_ index: Int) -> JSONValue {
        let node = nodes[index]
        switch node.kind {
        case .null: return .null
        case .bool: return .bool(bytes[Int(node.start)] == UInt8(ascii: "t"))
        case .number: return .number(JSONNumber(scanned: text(node)))
        case .string: return .string(text(node))
        case .object: return .object(JSONObject(self, at: index))
        case .array:
            var elements: [JSONValue] = []
            elements.reserveCapacity(Int(node.count))
            var at = index + 1
            for _ in 0..<Int(node.count) {
                elements.append(value(at))
                at = Int(nodes[at].next)
            }
            return .array(elements)
        }
    }

    /// How many members an object has.
    func count(of object: Int) -> Int { Int(nodes[object].count) }

    /// The node of the member with that name in an object; the value's is the next one.
    func find(_ name: String, in object: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            let name = UnsafeRawBufferPointer(name)
            return bytes.withUnsafeBytes { bytes in
                nodes.withUnsafeBufferPointer { nodes in
                    var at = object + 1
                    for _ in 0..<Int(nodes[object].count) {
                        let node = nodes[at]
                        if node.isRewritten {
                            if sameBytes(text(node), name) { return at }
                        } else if sameBytes(UnsafeRawBufferPointer(rebasing: bytes[node.range]), name) {
                            return at
                        }
                        at = Int(nodes[at + 1].next)
                    }
                    return nil
                }
            }
        }
    }

    /// The nodes of the values whose members have the names of a set; 0, which is no member's, for a name that none has.
    func places(of names: JSONNames, in object: Int) -> [UInt32] {
        var places = [UInt32](repeating: 0, count: names.count)
        bytes.withUnsafeBytes { bytes in
            nodes.withUnsafeBufferPointer { nodes in
                var at = object + 1
                for _ in 0..<Int(nodes[object].count) {
                    let node = nodes[at]
                    let number =
                        node.isRewritten
                        ? withBytes(of: text(node)) { names.number(of: $0) }
                        : names.number(of: UnsafeRawBufferPointer(rebasing: bytes[node.range]))
                    if let number { places[number] = UInt32(truncatingIfNeeded: at + 1) }
                    at = Int(nodes[at + 1].next)
                }
            }
        }
        return places
    }

    /// The kind of the value of a node.
    func kind(_ index: Int) -> JSONKind { nodes[index].kind }

    /// Lends the bytes of a text, its escapes resolved.
    func withText<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let node = nodes[index]
        if node.isRewritten { return withBytes(of: text(node), body) }
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[node.range])) }
    }

    /// The value of a number of up to 18 digits; nil for one with a sign, a fraction, an exponent or more digits.
    func plainInt(_ index: Int) -> Int64? {
        let range = nodes[index].range
        guard range.count <= 18 else { return nil }
        var value: Int64 = 0
        for place in range {
            let digit = bytes[place] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return value
    }

    /// The member whose name has that number, and the number of the next one's.
    func member(_ index: Int) -> (member: JSONObject.Member, next: Int) {
        ((text(nodes[index]), value(index + 1)), Int(nodes[index + 1].next))
    }

    /// Writes a value as compact JSON: as it came where that is compact.
    func write(_ index: Int, to out: inout some ByteSink & ~Copyable) {
        bytes.withUnsafeBytes { bytes in
            nodes.withUnsafeBufferPointer { nodes in
                var at = index
                write(&at, nodes, bytes, to: &out)
            }
        }
    }

    private func write(
        _ at: inout Int, _ nodes: UnsafeBufferPointer<Node>, _ bytes: UnsafeRawBufferPointer,
        to out: inout some ByteSink & ~Copyable
    ) {
        let node = nodes[at]
        guard node.isRewritten else {
            // A text's quotation marks are around it.
            let range = node.kind == .string ? Int(node.start) - 1..<Int(node.end) + 1 : node.range
            out.append(UnsafeRawBufferPointer(rebasing: bytes[range]))
            at = Int(node.next)
            return
        }
        at += 1
        switch node.kind {
        case .object:
            out.append(UInt8(ascii: "{"))
            for index in 0..<node.count {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                write(&at, nodes, bytes, to: &out)
                out.append(UInt8(ascii: ":"))
                write(&at, nodes, bytes, to: &out)
            }
            out.append(UInt8(ascii: "}"))
        case .array:
            out.append(UInt8(ascii: "["))
            for index in 0..<node.count {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                write(&at, nodes, bytes, to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .null, .bool, .number, .string: out.append(quoted: text(node))
        }
    }

    /// True if a piece of a value is the one sought: a compact value, or a text or name with escapes.
    func containsPiece(of index: Int, where isSought: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var at = index
            let end = Int(nodes[index].next)
            while at < end {
                let node = nodes[at]
                if !node.isRewritten {
                    if isSought(UnsafeRawBufferPointer(rebasing: bytes[node.range])) { return true }
                    at = Int(node.next)
                } else {
                    if node.kind == .string, withBytes(of: text(node), isSought) { return true }
                    at += 1
                }
            }
            return false
        }
    }

    /// The text between the quotation marks, or the spelling of a number.
    private func text(_ node: Node) -> String {
        bytes.withUnsafeBufferPointer { bytes in
            JSONLexer(bytes).decode(JSONLexer.Text(range: node.range, escaped: node.isRewritten))
        }
    }
}
