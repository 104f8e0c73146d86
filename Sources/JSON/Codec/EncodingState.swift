/// The state that all nodes of one encoding share: the text of all single values, and the remaining limits.
final class EncodingState {
    let limits: JSONLimits
    /// The texts of single values in the order of their encoding; nodes hold ranges.
    private(set) var bytes: [UInt8] = []
    /// The first error where nothing could be thrown; it ends the encoding.
    private(set) var failure: EncodingError?
    private var members = 0
    private var calls = 0

    init(limits: JSONLimits) {
        self.limits = limits
        bytes.reserveCapacity(256)
    }

    /// Records an error; only the first one is kept.
    func note(_ error: @autoclosure () -> EncodingError) {
        if failure == nil { failure = error() }
    }

    /// Counts a member or an element.
    func count(_ type: Any.Type, _ path: CodingPath?) throws {
        if let failure { throw failure }
        members += 1
        guard members <= limits.maxMembers, bytes.count <= limits.maxBytes else {
            throw CodecProblem.size.encoding(type, path)
        }
    }

    /// Runs a value's own `encode(to:)`.
    ///
    /// Counted besides the brackets, because a type may hand itself on without opening any. Some four calls come to one
    /// pair of brackets in real types: the element, its `Optional`, a wrapper and the raw value.
    func enter(_ type: Any.Type, _ path: CodingPath?, _ body: () throws -> Void) throws {
        if let failure { throw failure }
        guard calls < limits.maxCalls else { throw CodecProblem.nesting.encoding(type, path) }
        calls += 1
        defer { calls -= 1 }
        try body()
    }

    // MARK: Single values

    func null() -> Range<Int> {
        write { $0.append(ascii: "null") }
    }

    func bool(_ value: Bool) -> Range<Int> {
        write { $0.append(ascii: value ? "true" : "false") }
    }

    func string(_ value: String) -> Range<Int> {
        write { $0.append(quoted: value) }
    }

    func integer(_ value: some FixedWidthInteger) -> Range<Int> {
        write { $0.append(contentsOf: String(value).utf8) }
    }

    func float<Value: BinaryFloatingPoint & CustomStringConvertible>(
        _ value: Value, _ path: @autoclosure () -> CodingPath?
    ) throws -> Range<Int> {
        guard value.isFinite else { throw CodecProblem.notFinite.encoding(Value.self, path()) }
        let text = value.description.utf8
        return write { $0.append(contentsOf: text.suffix(2).elementsEqual(".0".utf8) ? text.dropLast(2) : text[...]) }
    }

    /// The text of a value whose static type is generic but one of the common ones; nil for every other.
    @inline(__always)
    func common<Value: Encodable>(_ value: Value, _ path: @autoclosure () -> CodingPath?) throws -> Range<Int>? {
        if Value.self == String.self, let value = value as? String { return string(value) }
        if Value.self == Int.self, let value = value as? Int { return integer(value) }
        if Value.self == Bool.self, let value = value as? Bool { return bool(value) }
        if Value.self == Double.self, let value = value as? Double { return try float(value, path()) }
        if Value.self == UInt8.self, let value = value as? UInt8 { return integer(value) }
        if Value.self == Int64.self, let value = value as? Int64 { return integer(value) }
        return nil
    }

    @inline(__always)
    private func write(_ body: (inout [UInt8]) -> Void) -> Range<Int> {
        let start = bytes.count
        body(&bytes)
        return start..<bytes.count
    }
}

extension JSONLimits {
    /// How many calls of `encode(to:)` or `init(from:)` may be under way at once.
    var maxCalls: Int { 4 * maxDepth + 16 }
}
