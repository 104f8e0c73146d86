extension EncodedNode {
    /// The text of the value.
    func text() throws -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(2 * state.bytes.count + 16)
        write(into: &out)
        guard out.count <= state.limits.maxBytes else { throw CodecProblem.size.encoding(Any.self, nil) }
        return out
    }

    /// One recursion per bracket; a value that wrote nothing is an empty object.
    private func write(into out: inout [UInt8]) {
        switch content {
        case .nothing: out.append(ascii: "{}")
        case .single(let range): out.append(contentsOf: state.bytes[range])
        case .array:
            out.append(UInt8(ascii: "["))
            for (index, entry) in entries.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                write(entry.piece, into: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object:
            out.append(UInt8(ascii: "{"))
            let sorted = sortedEntries()
            for (index, entry) in sorted.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                out.append(quoted: entry.name)
                out.append(UInt8(ascii: ":"))
                write(entry.piece, into: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private func write(_ piece: Piece, into out: inout [UInt8]) {
        switch piece {
        case .single(let range): out.append(contentsOf: state.bytes[range])
        case .node(let node): node.write(into: &out)
        }
    }

    /// The members by the bytes of their names, each name once and with its last value.
    private func sortedEntries() -> [Entry] {
        let places = entries.indices.sorted { left, right in
            switch compareBytes(entries[left].name, entries[right].name) {
            case 0: left < right
            case let order: order < 0
            }
        }
        var sorted: [Entry] = []
        sorted.reserveCapacity(places.count)
        for place in places {
            if let last = sorted.last, sameBytes(last.name, entries[place].name) { sorted.removeLast() }
            sorted.append(entries[place])
        }
        return sorted
    }
}

/// Below 0 when the first text stands before the second by its bytes, 0 when they are the same.
private func compareBytes(_ left: String, _ right: String) -> Int {
    var left = left
    var right = right
    return left.withUTF8 { left in
        right.withUTF8 { right in
            var index = 0
            let end = min(left.count, right.count)
            while index < end {
                if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
                index += 1
            }
            return left.count - right.count
        }
    }
}
