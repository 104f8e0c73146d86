internal import COpenSSL

/// An algorithm implementation that was looked up once.
///
/// A look-up by name costs more than hashing a short message, so it happens on first use and never again.
///
/// Sendable invariant: a fetched algorithm is immutable and never freed here.
struct FetchedAlgorithm: @unchecked Sendable {
    let raw: OpaquePointer

    private init(_ raw: OpaquePointer?) {
        guard let raw else { fatalError("OpenSSL offers no default provider") }
        self.raw = raw
    }

    static let sha256 = digest("SHA2-256")
    static let sha384 = digest("SHA2-384")
    static let sha512 = digest("SHA2-512")

    static let aes256GCM: FetchedAlgorithm = {
        initialiseLibrary
        return FetchedAlgorithm(EVP_CIPHER_fetch(nil, "AES-256-GCM", nil))
    }()

    private static func digest(_ name: String) -> FetchedAlgorithm {
        initialiseLibrary
        return FetchedAlgorithm(EVP_MD_fetch(nil, name, nil))
    }

    /// Keeps OpenSSL from tearing itself down at exit while other threads still use it.
    static let initialiseLibrary: Void = {
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }()
}

extension HashAlgorithm {
    /// The OpenSSL implementation.
    var fetched: FetchedAlgorithm {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
