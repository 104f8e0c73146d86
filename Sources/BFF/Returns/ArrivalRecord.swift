import Basics
import Cryptography

/// What somebody has brought back, until the page that they left from goes on with it.
///
/// It is sealed into the handle of `resume` and lies nowhere else: whatever other sites have this browser bring, they neither
/// fill a place here nor push out what is good.
struct ArrivalRecord: Sendable, Equatable {
    /// The client that the address named.
    var client: String
    /// How many had left by then; what leaves later is not meant.
    var departures: UInt64
    /// When the handle is over.
    var ends: Timestamp
    /// What goes on to the provider.
    var parameters: [String: String]
}

extension ArrivalRecord {
    private static let purpose = Array("cloakroom arrival".utf8)

    /// The key of the browser that left: the cookie that leaving gave.
    private static func key(_ cookie: String) -> AEADKey? {
        guard let secret = Base64URL.decode(cookie), secret.count == SealedPlace.secretCount else { return nil }
        return AEADKey(HKDF.derive(secret: secret, info: purpose, count: AEADKey.keyCount))
    }

    /// The handle of `resume`: the record, sealed for the browser that has the cookie.
    ///
    /// - Returns: nil for a cookie that is none.
    func handle(for cookie: String) -> String? {
        guard let sealed = try? Self.key(cookie)?.seal(encoded, additionalData: Self.purpose) else { return nil }
        return Base64URL.encode(sealed)
    }

    /// The record of a handle; nil for one of another browser or time, or that is none.
    init?(handle: String, cookie: String, at now: Timestamp) {
        guard let sealed = Base64URL.decode(handle),
            let bytes = try? Self.key(cookie)?.open(sealed, additionalData: Self.purpose),
            let record = try? ArrivalRecord(decoding: bytes), now < record.ends
        else { return nil }
        self = record
    }
}

extension ArrivalRecord: RecordCodable {
    static let version: UInt8 = 2

    func write(into writer: inout RecordWriter) {
        writer.write(client)
        writer.write(departures)
        writer.write(ends)
        writer.write(parameters.sorted { $0.key < $1.key }) { writer, parameter in
            writer.write(parameter.key)
            writer.write(parameter.value)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        client = try reader.string()
        departures = try reader.unsigned()
        ends = try reader.timestamp()
        let pairs = try reader.list { reader throws(RecordError) in (try reader.string(), try reader.string()) }
        parameters = Dictionary(pairs) { _, last in last }
    }
}
