import Basics
import Cryptography
import StorageKit

/// A place in the store that a random secret names and decrypts; without the secret it can neither be found nor read.
///
/// The server key does not open it.
struct SealedPlace: Sendable {
    private static let field = "sealed"
    static let secretCount = 32

    private let key: SessionKey
    private let seal: AEADKey

    /// Makes a secret: 43 characters that are allowed in a path and in a cookie.
    static func newSecret() -> String { SecureRandom.token(secretCount) }

    /// Derives the place from a secret; nil for a malformed secret.
    ///
    /// - Parameters:
    ///   - secret: The output of `newSecret`.
    ///   - purpose: The kind of content; one secret has different places for different kinds.
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

    /// The content of a place.
    struct Content {
        let bytes: [UInt8]
        /// The revision that was read; a write has to name it.
        let revision: UInt64
    }

    /// Reads the place.
    ///
    /// - Returns: nil when the place is empty, or its content does not decrypt.
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
    ///   - bytes: The new content.
    ///   - former: The revision of the content that is replaced; nil for an empty place.
    ///   - expires: The instant at which the content expires.
    ///   - store: The store.
    /// - Returns: False when the place has other content by now; nothing was written then.
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
