import Basics
import OpenIDConnect

/// What is to be revoked at a provider: tokens, or a session to log out.
enum Revocable: Sendable, Equatable {
    /// An encoded `TokenSet` and the client that obtained it.
    case tokens([UInt8], String)
    /// A provider session as its client encodes it, and the client.
    case session([UInt8], String)
}

extension Revocable: RecordCodable {
    static let version: UInt8 = 1

    func write(into writer: inout RecordWriter) {
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

    init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.unsigned() {
        case 0: self = .tokens(try reader.byteString(), try reader.string())
        case 1: self = .session(try reader.byteString(), try reader.string())
        default: throw .malformed
        }
    }
}

extension Revocable {
    /// When nothing is left to end: the end of the tokens where they say it, else after `keep`; never at once, for clocks
    /// differ.
    func end(_ now: Timestamp, keep: Duration) -> Timestamp {
        guard case .tokens(let bytes, _) = self, let end = (try? TokenSet(decoding: bytes))?.end else {
            return now + keep
        }
        return min(max(end, now + .seconds(60)), now + Self.longest)
    }

    /// The longest that anything is tried again.
    static let longest = Duration.seconds(30 * 86_400)

    /// Whether it is tokens, which end before the sessions they came from.
    var isTokens: Bool {
        if case .tokens = self { true } else { false }
    }

    /// The client that can end it.
    var client: String {
        switch self {
        case .tokens(_, let client), .session(_, let client): client
        }
    }
}
