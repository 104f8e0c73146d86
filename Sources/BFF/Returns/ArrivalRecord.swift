import Basics
import Cryptography

/// The parameters of a redirect back from another site, until the page that the user left continues with them.
///
/// The record is sealed into the handle of `resume` and stored nowhere else: whatever other sites make this browser
/// bring, it takes no room in the store and pushes out nothing valid.
struct ArrivalRecord: Sendable, Equatable {
    /// The client that the address of the redirect named.
    var client: String
    /// The number of departures so far; a later departure is not meant.
    var departures: UInt64
    /// The instant at which the handle expires.
    var ends: Timestamp
    /// The parameters that go on to the provider.
    var parameters: [String: String]
}

extension ArrivalRecord {
    private static let purpose = Array("cloakroom arrival".utf8)

    /// The key of the browser that left, derived from the cookie that it got when it left.
    private static func key(_ cookie: String) -> AEADKey? {
        guard let secret = Base64URL.decode(cookie), secret.count == SealedPlace.secretCount else { return nil }
        return AEADKey(HKDF.derive(secret: secret, info: purpose, count: AEADKey.keyCount))
    }

    /// The handle of `resume`: the record, sealed for the browser that has the cookie.
    ///
    /// - Returns: nil for a malformed cookie.
    func handle(for cookie: String) -> String? {
        guard let sealed = try? Self.key(cookie)?.seal(encoded, additionalData: Self.purpose) else { return nil }
        return Base64URL.encode(sealed)
    }

    /// Opens the record of a handle; nil for a handle of another browser, an expired one, or a text that is no handle.
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
