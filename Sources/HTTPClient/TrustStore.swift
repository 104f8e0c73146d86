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
    /// The system's bundle is named as a file, if it exists: libcurl keeps a parsed file for later connections, but
    /// parses a directory each time, which takes some 20 ms and blocks the event thread.
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
