import Basics
import JOSE
import Sessions

/// The key of the device that a session is bound to.
struct DeviceRecord: RecordCodable, Equatable {
    static let version: UInt8 = 1
    /// The field of the record.
    static let field = SessionStore.deviceField

    /// The public key.
    let key: DeviceKey
    /// The time at which the session was bound.
    let since: Timestamp

    /// Makes the record of a binding.
    init(_ key: DeviceKey, since: Timestamp) {
        self.key = key
        self.since = since
    }

    func write(into writer: inout RecordWriter) {
        writer.write(key.algorithm.rawValue)
        writer.write(key.encoded)
        writer.write(since)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        let algorithm = try reader.string()
        let encoded = try reader.byteString()
        do { key = try DeviceKey(encoded: encoded, algorithm: algorithm) } catch { throw .malformed }
        since = try reader.timestamp()
    }
}
