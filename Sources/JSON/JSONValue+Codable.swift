extension JSONValue: Codable {
    /// Reads the JSON text that `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        self = try JSONValue(parsing: decoder.singleValueContainer().decode(String.self))
    }

    /// Writes the value as one string of JSON text, so that order and number spelling survive any coder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}
