/// Builds the tree of one document from its events, within the limits.
///
/// Recursion is as deep as the tree, which is checked before each step down.
struct TreeBuilder: ~Copyable {
    private var reader: EventReader
    private var anchors: [String: Anchor] = [:]
    private var nodes = 0
    private var textBytes = 0

    /// A finished part of the tree, with what it counts where an alias repeats it.
    private struct Part {
        let node: YAMLNode
        var nodes = 1
        var textBytes = 0
        /// How many sequences and mappings lie inside each other, its own one included.
        var levels = 0
    }

    private enum Anchor {
        /// The anchored node has begun, with this number, and has not ended.
        case open(Int)
        case closed(Part)
    }

    init(_ reader: consuming EventReader) {
        self.reader = reader
    }

    /// The root of the only document; nil when there is none.
    mutating func document() throws(YAMLError) -> YAMLNode? {
        var event = try reader.next()
        if case .streamStart = event.kind { event = try reader.next() }
        guard case .documentStart = event.kind else { return nil }
        let root = try part(try reader.next(), inside: 0).node
        // The document's end comes first.
        _ = try reader.next()
        event = try reader.next()
        guard case .streamEnd = event.kind else { throw YAMLError(.severalDocuments, at: event.mark) }
        return root
    }

    /// The part that begins with an event, inside so many sequences and mappings.
    private mutating func part(_ event: YAMLEvent, inside levels: Int) throws(YAMLError) -> Part {
        switch event.kind {
        case .alias(let name): return try repeated(name, event.mark, inside: levels)
        case .scalar(let text, let isPlain, let tag, let anchor):
            let scalar = try CoreSchema.scalar(text, isPlain: isPlain, tag: tag, at: event.mark)
            let part = Part(node: YAMLNode(.scalar(scalar), at: event.mark), textBytes: text.utf8.count)
            try count(nodes: 1, textBytes: part.textBytes, at: event.mark)
            if let anchor { anchors[anchor] = .closed(part) }
            return part
        case .sequenceStart(let tag, let anchor):
            try CoreSchema.check(tag, expected: .seq, at: event.mark)
            return try sequence(event.mark, anchor, inside: levels)
        case .mappingStart(let tag, let anchor):
            try CoreSchema.check(tag, expected: .map, at: event.mark)
            return try mapping(event.mark, anchor, inside: levels)
        case .streamStart, .streamEnd, .documentStart, .documentEnd, .sequenceEnd, .mappingEnd:
            // libyaml's grammar puts a node here.
            throw YAMLError(.syntax("did not find expected node content"), at: event.mark)
        }
    }

    private mutating func sequence(_ mark: YAMLMark, _ anchor: String?, inside levels: Int) throws(YAMLError) -> Part {
        let number = try begin(mark, anchor, inside: levels)
        var (items, inner) = ([YAMLNode](), Inner())
        var event = try reader.next()
        while true {
            if case .sequenceEnd = event.kind { break }
            items.append(inner.take(try part(event, inside: levels + 1)))
            event = try reader.next()
        }
        return end(YAMLNode(.sequence(items), at: mark), inner, anchor, number)
    }

    private mutating func mapping(_ mark: YAMLMark, _ anchor: String?, inside levels: Int) throws(YAMLError) -> Part {
        let number = try begin(mark, anchor, inside: levels)
        var (pairs, inner) = ([YAMLPair](), Inner())
        var event = try reader.next()
        while true {
            if case .mappingEnd = event.kind { break }
            let key = inner.take(try part(event, inside: levels + 1))
            let value = inner.take(try part(try reader.next(), inside: levels + 1))
            pairs.append(YAMLPair(key: key, value: value))
            event = try reader.next()
        }
        try KeyIdentity.checkUnique(pairs)
        return end(YAMLNode(.mapping(pairs), at: mark), inner, anchor, number)
    }

    // MARK: Limits and anchors

    /// The counts of the contents of a sequence or mapping.
    private struct Inner {
        var (nodes, textBytes, levels) = (0, 0, 0)

        mutating func take(_ part: Part) -> YAMLNode {
            nodes += part.nodes
            textBytes += part.textBytes
            levels = max(levels, part.levels)
            return part.node
        }
    }

    /// Counts a sequence or mapping and opens its anchor.
    ///
    /// With the returned number, the end of the node can tell if the anchor is still its own.
    private mutating func begin(_ mark: YAMLMark, _ anchor: String?, inside levels: Int) throws(YAMLError) -> Int {
        guard levels < YAMLLimits.levels else { throw YAMLError(.tooDeep, at: mark) }
        try count(nodes: 1, textBytes: 0, at: mark)
        if let anchor { anchors[anchor] = .open(nodes) }
        return nodes
    }

    private mutating func end(_ node: YAMLNode, _ inner: Inner, _ anchor: String?, _ number: Int) -> Part {
        let part = Part(
            node: node, nodes: inner.nodes + 1, textBytes: inner.textBytes, levels: inner.levels + 1)
        // A name that was given again inside means the later node (YAML 1.2.2 section 3.2.2.2).
        if let anchor, case .open(number) = anchors[anchor] { anchors[anchor] = .closed(part) }
        return part
    }

    private mutating func repeated(_ name: String, _ mark: YAMLMark, inside levels: Int) throws(YAMLError) -> Part {
        switch anchors[name] {
        // The words of libyaml's own composer.
        case nil: throw YAMLError(.syntax("found undefined alias"), at: mark)
        case .open: throw YAMLError(.selfReference, at: mark)
        case .closed(let part):
            guard levels + part.levels <= YAMLLimits.levels else { throw YAMLError(.tooDeep, at: mark) }
            try count(nodes: part.nodes, textBytes: part.textBytes, at: mark)
            return Part(
                node: YAMLNode(part.node.content, at: mark), nodes: part.nodes, textBytes: part.textBytes,
                levels: part.levels)
        }
    }

    private mutating func count(nodes more: Int, textBytes: Int, at mark: YAMLMark) throws(YAMLError) {
        nodes += more
        self.textBytes += textBytes
        guard nodes <= YAMLLimits.nodes else { throw YAMLError(.tooManyNodes, at: mark) }
        guard self.textBytes <= YAMLLimits.bytes else { throw YAMLError(.tooLong, at: mark) }
    }
}
