extension JSONValue: Codable {
    /// Reads the JSON text that `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        // What was encoded had its limits when it was parsed; here only the stack must be safe.
        let limits = JSONLimits(maxBytes: .max, maxDepth: JSONLimits.deepest, maxMembers: .max)
        self = try JSONValue(parsing: decoder.singleValueContainer().decode(String.self), limits: limits)
    }

    /// Writes the value as one string of JSON text, so that order and number spelling survive any coder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
