internal import Basics

/// Which node of a cluster has which slot.
struct SlotMap: Equatable {
    /// The number of slots of every cluster.
    static let slots = 16_384
    /// The most nodes with slots; connections are made to all of them.
    static let most = 256

    /// The nodes with slots, each once.
    private(set) var nodes: [Endpoint] = []
    /// For each slot the place of its node, from 1 on; 0 for none.
    private var places = [UInt16](repeating: 0, count: slots)

    /// Reads the answer to `CLUSTER SLOTS`.
    ///
    /// - Parameters:
    ///   - reply: The answer; another form gives nil.
    ///   - asked: The node that gave it, which counts where the answer has no host.
    init?(_ reply: RedisReply, from asked: Endpoint) {
        guard case .array(let ranges) = reply else { return nil }
        for range in ranges {
            guard case .array(let parts) = range, parts.count >= 3, case .integer(let first) = parts[0],
                case .integer(let last) = parts[1], case .array(let node) = parts[2], node.count >= 2,
                case .integer(let port) = node[1], first >= 0, first <= last, last < Self.slots,
                let endpoint = Self.endpoint(node[0].bytes ?? [], Array("\(port)".utf8), from: asked),
                let place = place(of: endpoint)
            else { return nil }
            for slot in Int(first)...Int(last) { places[slot] = place }
        }
    }

    /// The address of a node; without a host, or with `?`, it is that of the node which told it.
    static func endpoint(_ host: [UInt8], _ port: [UInt8], from asked: Endpoint) -> Endpoint? {
        let isUnknown = host.isEmpty || host == [UInt8(ascii: "?")]
        return SentinelQuestion.endpoint(isUnknown ? Array(asked.host.utf8) : host, port)
    }

    /// The place of a node, which may be new; nil if there are too many.
    private mutating func place(of endpoint: Endpoint) -> UInt16? {
        if let index = nodes.firstIndex(of: endpoint) { return UInt16(index + 1) }
        // rule: a cluster has a bounded number of nodes
        guard nodes.count < Self.most else { return nil }
        nodes.append(endpoint)
        return UInt16(nodes.count)
    }

    /// The node of a slot; nil if no node has it.
    func node(of slot: Int) -> Endpoint? {
        let place = places[slot]
        return place == 0 ? nil : nodes[Int(place) - 1]
    }

    /// Notes that a node has taken over a slot.
    mutating func move(_ slot: Int, to endpoint: Endpoint) {
        if let place = place(of: endpoint) { places[slot] = place }
    }

    // MARK: Slots of keys

    /// The slot of a key: that of the part between the first `{` and the next `}`, if there is one and it is not empty.
    static func slot(of key: [UInt8]) -> Int {
        var part = key[...]
        if let open = key.firstIndex(of: UInt8(ascii: "{")),
            let close = key[(open + 1)...].firstIndex(of: UInt8(ascii: "}")), close > open + 1
        {
            part = key[(open + 1)..<close]
        }
        var sum: UInt16 = 0
        for byte in part { sum = sum << 8 ^ table[Int(UInt8(sum >> 8) ^ byte)] }
        return Int(sum) % slots
    }

    /// The table of CRC-16/XMODEM: polynomial 0x1021, from 0.
    private static let table: [UInt16] = (0..<256).map { index in
        (0..<8).reduce(UInt16(index) << 8) { sum, _ in sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x1021 }
    }
}

/// The answer of a node that another one is to be asked.
struct Redirect: Equatable {
    let slot: Int
    let endpoint: Endpoint

    /// Reads `MOVED SLOT HOST:PORT` or `ASK SLOT HOST:PORT`; another form gives nil.
    init?(_ line: String, from asked: Endpoint) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, 1...5 ~= words[1].utf8.count, words[1].utf8.allSatisfy(\.isDigit),
            let slot = Int(words[1]), slot < SlotMap.slots, let colon = words[2].lastIndex(of: ":"),
            let endpoint = SlotMap.endpoint(
                Array(words[2][..<colon].utf8), Array(words[2][words[2].index(after: colon)...].utf8), from: asked)
        else { return nil }
        self.slot = slot
        self.endpoint = endpoint
    }
}
