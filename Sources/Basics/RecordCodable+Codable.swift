/// A record in the `Codable` form, for storages of one's own: the stored form as one text, base64url without padding.
///
/// Version and checks are those of the stored form, so an item that such a storage kept is still read when the form changes.
extension RecordCodable where Self: Codable {
    /// Writes the stored form with secrets in clear; the storage must seal it.
    ///
    /// - Throws: The error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Base64URL.encode(encoded))
    }

    /// Reads what `encode(to:)` wrote.
    ///
    /// - Throws: `DecodingError.dataCorrupted` for anything else, with the `RecordError` where there is one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Base64URL.decode(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not base64url")
        }
        do {
            try self.init(decoding: bytes)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: "no record of this type",
                    underlyingError: error))
        }
    }
}
