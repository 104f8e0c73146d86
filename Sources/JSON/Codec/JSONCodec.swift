/// Writes and reads `Codable` types as JSON text, without Foundation.
///
/// The text is that of Foundation's `JSONEncoder` with sorted keys and without escaped slashes, byte for byte: members in
/// the order of their UTF-8, numbers in the shortest spelling that reads back as the same value and without `.0`, only
/// what must be escaped is. Either reads what the other writes.
///
/// The types of Foundation are the exception, as this module does not know them: they take the form that their own
/// conformance gives them. A `Date` is the number of seconds since 2001 in both. A `Data` is an array of numbers here and
/// base64 there, a `URL` and a `Decimal` are objects here and a string and a number there: put text into what is stored,
/// not those.
///
/// Member names are compared as bytes; of two values under one name the last is written. Both directions keep the limits,
/// so that what is encoded can be decoded. An error holds a coding path, types and a fixed sentence, never a value; the
/// keys of dictionaries are part of the path.
public struct JSONCodec: Sendable {
    /// Bounds on the text, in both directions; they bind the recursion of types, too.
    public var limits: JSONLimits

    /// A codec that keeps these bounds.
    public init(limits: JSONLimits = .standard) {
        self.limits = limits
    }

    /// The text of a value, in UTF-8.
    ///
    /// - Parameter value: Any value; one that is not an array or an object stands by itself.
    /// - Returns: Compact JSON.
    /// - Throws: `.invalidValue`, whose value is the type of what could not be written: a number that is not finite or
    ///   wider than 64 bits, a value beyond the limits, one that writes nothing or whose `encode(to:)` throws.
    public func encode(_ value: some Encodable) throws(EncodingError) -> [UInt8] {
        let state = EncodingState(limits: limits)
        let root = EncodedNode(state, path: nil, depth: 0)
        do {
            try root.encode(value)
            if let failure = state.failure { throw failure }
            if case .nothing = root.content { throw CodecProblem.nothing(of: type(of: value)) }
            return try root.text()
        } catch {
            throw CodecProblem.encoding(error, of: type(of: value))
        }
    }

    /// The text of a value.
    ///
    /// - Parameter value: As for `encode(_:)`.
    /// - Returns: Compact JSON.
    /// - Throws: As `encode(_:)`.
    public func text(of value: some Encodable) throws(EncodingError) -> String {
        String(decoding: try encode(value), as: UTF8.self)
    }

    /// Reads a value from JSON in UTF-8.
    ///
    /// A whole number may be written `3`, `3.0` or `3e0`, as far as it fits 64 bits with a sign; one that the type cannot
    /// hold is refused. Members that the type does not ask for are passed over.
    ///
    /// - Parameters:
    ///   - type: What to read.
    ///   - bytes: The whole document; white space around it is allowed.
    /// - Returns: The value.
    /// - Throws: `.dataCorrupted` with the `JSONError` below it for what is no document within the limits; else the case
    ///   that says how the document and the type differ.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: [UInt8]
    ) throws(DecodingError) -> Value {
        do {
            let value = try JSONValue(parsing: bytes, limits: limits)
            let root = DecodedNode(value, path: nil, state: DecodingState(limits: limits))
            return try root.decode(type)
        } catch {
            throw CodecProblem.decoding(error)
        }
    }

    /// Reads a value from JSON text.
    ///
    /// - Parameters:
    ///   - type: What to read.
    ///   - text: As for `decode(_:from:)` with bytes.
    /// - Returns: The value.
    /// - Throws: As `decode(_:from:)` with bytes.
    public func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from text: String
    ) throws(DecodingError) -> Value {
        try decode(type, from: Array(text.utf8))
    }
}
