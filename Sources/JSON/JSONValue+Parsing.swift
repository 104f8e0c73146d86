extension JSONValue {
    /// Parses a document strictly: RFC 8259 in UTF-8, no byte order mark, no repeated member names, no lone surrogates.
    ///
    /// - Parameters:
    ///   - bytes: The whole document; white space around the value is allowed.
    ///   - limits: Bounds on size, depth and number of members.
    /// - Throws: What is wrong, with the byte offset where there is one.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
        self = try JSONParser.value(of: bytes, limits: limits)
    }

    /// Parses part of an array, see `init(parsing:limits:)` for bytes; offsets count from the start of the part.
    public init(parsing bytes: ArraySlice<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
        if bytes.count > limits.maxBytes { throw .tooLarge }
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Parses a text, see `init(parsing:limits:)` for bytes.
    public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
        try self.init(parsing: Array(text.utf8), limits: limits)
    }
}
