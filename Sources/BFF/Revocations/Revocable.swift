import Basics
import OpenIDConnect

/// Tokens to revoke at a provider, or a provider session to log out there.
enum Revocable: Sendable, Equatable {
    /// An encoded `TokenSet`, and the name of the client that obtained it.
    case tokens([UInt8], String)
    /// A provider session as its client encodes it, and the name of the client.
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
    /// The time from which nothing is left to end: the end of the tokens if they name one, at most `keep` from now.
    ///
    /// The end of tokens counts as at least 60 seconds from now, because clocks differ.
    func end(_ now: Timestamp, keep: Duration) -> Timestamp {
        guard case .tokens(let bytes, _) = self, let end = (try? TokenSet(decoding: bytes))?.end else {
            return now + keep
        }
        return min(max(end, now + .seconds(60)), now + keep)
    }

    /// The part that ending it needs: of tokens, no ID token and no user data; of a provider session, the part that its
    /// client picks.
    ///
    /// - Parameter client: The client that can end it; nil if the client is gone from the settings.
    /// - Returns: The item to store until it is ended.
    func reduced(_ client: (any FlowClient)?) -> Revocable {
        if case .session(let bytes, let name) = self { return .session(client?.least(toEnd: bytes) ?? bytes, name) }
        guard case .tokens(let bytes, let client) = self, let tokens = try? TokenSet(decoding: bytes) else {
            return self
        }
        let least = TokenSet(
            accessToken: tokens.accessToken, tokenType: nil, refreshToken: tokens.refreshToken, scopes: [],
            issuedAt: tokens.issuedAt, expiresAt: tokens.expiresAt, issuer: "", clientID: "", subject: "")
        return .tokens(least.encoded, client)
    }

    /// True for tokens, which are ended before the provider sessions that they came from.
    var isTokens: Bool {
        if case .tokens = self { true } else { false }
    }

    /// The name of the client that can end it.
    var client: String {
        switch self {
        case .tokens(_, let client), .session(_, let client): client
        }
    }
}
