internal import CCurl

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Which certificate authorities are trusted.
enum TrustStore: Equatable {
    /// Exactly those of a PEM file.
    case file(String)
    /// Whatever libcurl was built to trust.
    case libraryDefaults

    /// Finds the trust for a setting.
    ///
    /// The system's bundle is named as a file, where there is one: libcurl keeps a parsed file for later connections,
    /// but parses a directory each time, some 20 ms on the thread that everything else waits for.
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

    /// Whether a file can be read and holds a certificate in PEM.
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
