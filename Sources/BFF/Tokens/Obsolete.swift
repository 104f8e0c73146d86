import Basics

/// Something at the provider that has to end: tokens to revoke, a session to log out.
enum Obsolete: Sendable, Equatable {
    /// An encoded `TokenSet` and the client that obtained it.
    case tokens([UInt8], String)
    /// A provider session as its client encodes it, and the client.
    case session([UInt8], String)
}

extension Obsolete {
    var encoded: [UInt8] {
        var writer = RecordWriter(version: 1)
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
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 1)
        switch try reader.unsigned() {
        case 0: self = .tokens(try reader.byteString(), try reader.string())
        case 1: self = .session(try reader.byteString(), try reader.string())
        default: throw RecordReader.Malformed()
        }
        try reader.end()
    }
}
