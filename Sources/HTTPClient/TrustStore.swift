internal import Basics
internal import CCurl
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The certificate authorities that are trusted.
enum TrustStore: Equatable {
    /// Exactly the authorities in a PEM file.
    case file(String)
    /// The authorities that libcurl was built to trust.
    case libraryDefaults

    /// Finds the authorities for a setting.
    ///
    /// The system's bundle is named as a file, if it exists: a file is parsed once, but a directory for each connection,
    /// which takes some 20 ms and blocks the event thread.
    ///
    /// - Throws: `.caFile` when the configured file is missing, unreadable or without a certificate.
    init(configured path: String?) throws(HTTPClientError) {
        if let path {
            guard Self.holdsCertificate(path) else { throw .caFile(path: path) }
            self = .file(path)
        } else if let bundle = Self.systemBundle(), Self.holdsCertificate(bundle) {
            self = .file(bundle)
        } else {
            self = .libraryDefaults
        }
    }

    private static func systemBundle() -> String? {
        guard let easy = curl_easy_init() else { return nil }
        defer { curl_easy_cleanup(easy) }
        let path = CurlHandle(easy).string(CURLINFO_CAINFO)
        return path.isEmpty ? nil : path
    }

    /// True if a file can be read and holds a certificate in PEM.
    static func holdsCertificate(_ path: String) -> Bool {
        guard let file = fopen(path, "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), file) != nil {
            if strncmp(line, "-----BEGIN ", 11) == 0, strstr(line, "CERTIFICATE-----") != nil { return true }
        }
        return false
    }
}

/// Authorities in OpenSSL's form.
///
/// Sendable invariant: OpenSSL locks the store itself, and nothing is added to it.
final class TrustAnchors: @unchecked Sendable {
    /// The store; nil for those that libcurl was built to trust.
    let store: UnsafeMutableRawPointer?

    /// Takes ownership of a store.
    init(_ store: UnsafeMutableRawPointer?) {
        self.store = store
    }

    deinit {
        cloakroom_trust_free(store)
    }
}

/// The parsed authorities of a transport, which all its connections share.
final class TrustCache: Sendable {
    private let source: TrustStore
    private let kept = Locked<(anchors: TrustAnchors, readAt: ContinuousClock.Instant)?>(nil)
    private let reloads = Atomic<Int>(0)

    /// The number of reloads; connections that were opened before the last one are not used any more.
    var generation: Int { reloads.load(ordering: .relaxed) }

    /// Makes the next connection read the file again, and those before it old.
    func reload() {
        kept.withLock { $0 = nil }
        reloads.add(1, ordering: .relaxed)
    }

    init(_ source: TrustStore) {
        self.source = source
    }

    /// The authorities to trust now; a file is read again after ten minutes.
    ///
    /// - Returns: Nil when the file cannot be read or has no certificate any more: then nothing is trusted.
    func anchors(at now: ContinuousClock.Instant) -> TrustAnchors? {
        let generation = generation
        if let kept = kept.withLock({ $0 }), kept.readAt + .seconds(600) > now { return kept.anchors }
        // Not behind the lock: parsing takes some 20 ms. Two threads that both parse do no harm.
        let anchors: TrustAnchors
        switch source {
        case .file(let path):
            guard let store = cloakroom_trust_load(path) else { return nil }
            anchors = TrustAnchors(store)
        case .libraryDefaults:
            anchors = TrustAnchors(nil)
        }
        // Else the file may have changed since it was read; the next connection reads it again.
        kept.withLock { if generation == self.generation { $0 = (anchors, now) } }
        return anchors
    }
}
