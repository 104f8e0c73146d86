internal import Basics
internal import CCurl

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

    /// True if a file holds a certificate in PEM, and OpenSSL can read all that it holds.
    static func holdsCertificate(_ path: String) -> Bool {
        guard let file = fopen(path, "re") else { return false }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 512)
        while fgets(&line, Int32(line.count), file) != nil {
            guard strncmp(line, "-----BEGIN ", 11) == 0, strstr(line, "CERTIFICATE-----") != nil else { continue }
            // OpenSSL refuses the whole file for one certificate that it cannot read.
            guard let store = cloakroom_trust_load(path) else { return false }
            cloakroom_trust_free(store)
            return true
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
///
/// They have a generation, which ends by `reload` or by their age. Its connections and TLS sessions end with it,
/// because the certificates of their peers were checked with the authorities of that time.
final class TrustCache: Sendable {
    /// The time after which the authorities are read again.
    static let lifetime = Duration.seconds(600)

    private struct State {
        var generation = 0
        /// The authorities of the generation; nil before they were read.
        var anchors: TrustAnchors?
        var readAt: ContinuousClock.Instant?

        mutating func endGeneration() {
            (anchors, readAt) = (nil, nil)
            generation += 1
        }
    }

    private let source: TrustStore
    private let lifetime: Duration
    private let state = Locked(State())

    /// - Parameters:
    ///   - source: The authorities.
    ///   - lifetime: The time after which they are read again.
    init(_ source: TrustStore, lifetime: Duration) {
        self.source = source
        self.lifetime = lifetime
    }

    /// The number of the generation; connections that were opened in a former one are not used any more.
    func generation(at now: ContinuousClock.Instant) -> Int {
        state.withLock { state in
            // rule: authorities are read again after their time
            if let readAt = state.readAt, now >= readAt + lifetime { state.endGeneration() }
            return state.generation
        }
    }

    /// Makes the next connection read the file again, and those before it old.
    func reload() {
        state.withLock { $0.endGeneration() }
    }

    /// The authorities to trust now, and their generation.
    ///
    /// - Returns: No authorities when the file cannot be read or has no certificate any more: then nothing is trusted.
    func current(at now: ContinuousClock.Instant) -> (generation: Int, anchors: TrustAnchors?) {
        let generation = generation(at: now)
        if let anchors = state.withLock({ $0.generation == generation ? $0.anchors : nil }) {
            return (generation, anchors)
        }
        // Not behind the lock: parsing takes some 20 ms. Two threads that both parse do no harm.
        guard let anchors = read() else { return (generation, nil) }
        state.withLock { state in
            // Else the file may have changed since it was read; the next connection reads it again.
            guard generation == state.generation else { return }
            (state.anchors, state.readAt) = (anchors, state.readAt ?? now)
        }
        return (generation, anchors)
    }

    private func read() -> TrustAnchors? {
        switch source {
        case .file(let path): cloakroom_trust_load(path).map { TrustAnchors($0) }
        case .libraryDefaults: TrustAnchors(nil)
        }
    }
}
