/// A value with a hand-written, versioned byte form, as `RecordWriter` of Basics makes it.
public protocol RecordCodable: Sendable {
    /// The bytes, beginning with the version of the format.
    func encode() -> [UInt8]

    /// Reads the bytes; nil when they are malformed or of a version that is not known.
    init?(decoding bytes: [UInt8])
}
