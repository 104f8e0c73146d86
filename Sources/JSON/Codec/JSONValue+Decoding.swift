/// The single values that a decoder asks for.
///
/// The path is made only for an error.
extension JSONValue {
    /// The error about a value of another kind than a type needs.
    func mismatch(_ type: Any.Type, _ path: CodingPath?) -> DecodingError {
        if isNull { return .valueNotFound(type, CodecProblem.null.context(path)) }
        return .typeMismatch(type, CodecProblem.kind.context(path))
    }

    func boolean(_ path: @autoclosure () -> CodingPath?) throws -> Bool {
        guard case .bool(let value) = self else { throw mismatch(Bool.self, path()) }
        return value
    }

    func text(_ path: @autoclosure () -> CodingPath?) throws -> String {
        guard case .string(let text) = self else { throw mismatch(String.self, path()) }
        return text
    }

    func integer<Value: FixedWidthInteger>(_ path: @autoclosure () -> CodingPath?) throws -> Value {
        guard case .number(let number) = self else { throw mismatch(Value.self, path()) }
        if let value = Value(number.lexeme) { return value }
        guard let whole = number.int, let value = Value(exactly: whole) else {
            throw CodecProblem.range.corrupted(path())
        }
        return value
    }

    func float<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ path: @autoclosure () -> CodingPath?
    ) throws -> Value {
        guard case .number(let number) = self else { throw mismatch(Value.self, path()) }
        guard let value = Value(number.lexeme), value.isFinite else { throw CodecProblem.range.corrupted(path()) }
        return value
    }

    /// The value of a type that is generic where it is asked for but one of the common ones; nil for every other.
    @inline(__always)
    func common<Value>(_ type: Value.Type, _ path: @autoclosure () -> CodingPath?) throws -> Value? {
        if type == String.self { return try text(path()) as? Value }
        if type == Int.self { return try (integer(path()) as Int) as? Value }
        if type == Bool.self { return try boolean(path()) as? Value }
        if type == Double.self { return try (float(path()) as Double) as? Value }
        if type == UInt8.self { return try (integer(path()) as UInt8) as? Value }
        if type == Int64.self { return try (integer(path()) as Int64) as? Value }
        return nil
    }

    /// Reads a type from the value.
    @inline(__always)
    func decode<Value: Decodable>(
        _ type: Value.Type, _ path: @autoclosure () -> CodingPath?, _ state: DecodingState
    ) throws -> Value {
        if let value = try common(type, path()) { return value }
        let node = DecodedNode(self, path: path(), state: state)
        return try state.enter(node.path) { try Value(from: node) }
    }
}
