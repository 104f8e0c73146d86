package import Basics

/// Tokens to revoke at a provider, or a provider session to log out there.
package enum Revocable: Sendable, Equatable {
    /// An encoded `TokenSet`, and the name of the client that obtained it.
    case tokens([UInt8], String)
    /// A provider session as its client encodes it, and the name of the client.
    case session([UInt8], String)
}

extension Revocable: RecordCodable {
    package static let version: UInt8 = 1

    package func write(into writer: inout RecordWriter) {
        switch self {
        case .tokens(let bytes, let client):
            writer.write(UInt64(0))
            writer.write(bytes)
            writer.write(client)
        case .session(let bytes, let client):
            writer.write(UInt64(1))
            writer.write(bytes)
            writer.write(client)
        }
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.unsigned() {
        case 0: self = .tokens(try reader.byteString(), try reader.string())
        case 1: self = .session(try reader.byteString(), try reader.string())
        default: throw .malformed
        }
    }
}

extension Revocable {
    /// True for tokens, which are ended before the provider sessions that they came from.
    package var isTokens: Bool {
        if case .tokens = self { true } else { false }
    }

    /// The name of the client that can end it.
    package var client: String {
        switch self {
        case .tokens(_, let client), .session(_, let client): client
        }
    }
}
