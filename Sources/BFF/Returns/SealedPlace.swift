import Basics
import Cryptography
import StorageKit

/// A place in the store that a random secret names and opens: without it nobody finds or reads what is there, and the server
/// key is of no use.
struct SealedPlace: Sendable {
    private static let field = "sealed"
    static let secretCount = 32

    private let key: SessionKey
    private let seal: AEADKey

    /// Makes a secret, 43 characters that a path or a cookie may have.
    static func newSecret() -> String { SecureRandom.token(secretCount) }

    /// The place of a secret; nil for a text that is none.
    ///
    /// - Parameters:
    ///   - secret: What `newSecret` gave.
    ///   - purpose: What lies there; secrets for different things are never the same place.
    init?(_ secret: some StringProtocol, for purpose: StaticString) {
        // rule: a secret has 32 bytes
        guard let bytes = Base64URL.decode(secret), bytes.count == Self.secretCount else { return nil }
        let info = Array("cloakroom \(purpose) ".utf8)
        guard let seal = AEADKey(HKDF.derive(secret: bytes, info: info + "seal".utf8, count: AEADKey.keyCount)) else {
            return nil
        }
        self.seal = seal
        key = SessionKey(tag: HKDF.derive(secret: bytes, info: info + "place".utf8, count: 32))
    }

    /// What lies there.
    struct Content {
        let bytes: [UInt8]
        /// To be written over only as it was read.
        let revision: UInt64
    }

    /// Reads the place.
    ///
    /// - Returns: nil when nothing is there, or nothing that opens.
    /// - Throws: `.storeUnavailable`.
    func read(_ store: any ByteStore) async throws(BFFError) -> Content? {
        let field: StoredField?
        do { field = try await store.read(key, .names([Self.field]))[Self.field] } catch { throw BFFError(error) }
        guard let field, let bytes = try? seal.open(field.value, additionalData: key.bytes) else { return nil }
        return Content(bytes: bytes, revision: field.revision)
    }

    /// Writes the place.
    ///
    /// - Parameters:
    ///   - bytes: What is to lie there.
    ///   - former: The revision of what is there; nil for a place where nothing is.
    ///   - expires: When it is gone.
    ///   - store: Where places are.
    /// - Returns: False when something else is there by now; nothing was written then.
    /// - Throws: `.storeUnavailable`.
    func write(
        _ bytes: [UInt8], over former: UInt64? = nil, expires: Timestamp, _ store: any ByteStore
    ) async throws(BFFError) -> Bool {
        let sealed: [UInt8]
        do { sealed = try seal.seal(bytes, additionalData: key.bytes) } catch {
            throw .storeUnavailable(retryAfter: .seconds(1))
        }
        let write = FieldWrite.set(Self.field, sealed, expected: former.map { .revision($0) } ?? .absent)
        do {
            try await store.commit(
                key,
                former == nil ? .create(expires: expires, writes: [write]) : .update(expires: expires, writes: [write])
            )
            return true
        } catch .conflict, .gone {
            return false
        } catch {
            throw BFFError(error)
        }
    }
}
