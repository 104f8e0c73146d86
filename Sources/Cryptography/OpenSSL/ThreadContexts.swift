internal import COpenSSL

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The OpenSSL contexts of one thread, made on first use and freed when the thread ends.
///
/// Making a context costs more than the work on a short message. Everything here is synchronous and calls nothing that
/// could re-enter, so no two uses on one thread overlap. A context remembers the last key until the next use; an
/// attacker who can read this process's memory could read the caller's copy as well.
final class ThreadContexts {
    let digest: OpaquePointer
    /// Set up for AES-256-GCM.
    let cipher: OpaquePointer
    private var batch: [UInt8] = []
    private var used = 0
    private static let batchSize = 768

    private init() {
        guard let digest = EVP_MD_CTX_new(), let cipher = EVP_CIPHER_CTX_new() else {
            fatalError("no memory for a cryptographic context")
        }
        // The algorithm stays; each use gives a key and a nonce, which spares the library from taking its state down and up.
        guard EVP_CipherInit_ex2(cipher, FetchedAlgorithm.aes256GCM.raw, nil, nil, 1, nil) == 1 else {
            fatalError("no AES-256-GCM")
        }
        self.digest = digest
        self.cipher = cipher
    }

    deinit {
        EVP_MD_CTX_free(digest)
        EVP_CIPHER_CTX_free(cipher)
    }

    /// The contexts of the calling thread; must not be kept beyond the current synchronous call.
    static var current: ThreadContexts {
        if let known = pthread_getspecific(slot) {
            return Unmanaged<ThreadContexts>.fromOpaque(known).takeUnretainedValue()
        }
        let contexts = ThreadContexts()
        pthread_setspecific(slot, Unmanaged.passRetained(contexts).toOpaque())
        return contexts
    }

    private static let slot: pthread_key_t = {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { contexts in
            if let contexts { Unmanaged<ThreadContexts>.fromOpaque(contexts).release() }
        }
        guard status == 0 else { fatalError("no thread-local storage left") }
        return key
    }()

    /// Lends 12 random bytes that were never lent before.
    func withFreshNonce<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withFreshBytes(12) { bytes in
            guard let base = bytes.baseAddress else { fatalError("an empty nonce") }
            return body(base)
        }
    }

    /// Lends random bytes that were never lent before, at most a batch.
    ///
    /// Drawn from the generator in batches. A nonce is public, and so is the id of a trace: bytes waiting in memory give
    /// nothing away; each is lent once, and the process never forks.
    func withFreshBytes<Result>(_ count: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        precondition(count <= Self.batchSize)
        if used + count > batch.count {
            batch = SecureRandom.bytes(Self.batchSize)
            used = 0
        }
        defer { used += count }
        return batch.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[used..<used + count])) }
    }
}
