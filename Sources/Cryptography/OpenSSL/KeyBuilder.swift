internal import COpenSSL

/// Builds a public key from numbers, as OpenSSL parameters.
///
/// OpenSSL borrows names, texts and octets until the key is made; so names are literals, and one call does everything.
enum KeyBuilder {
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CryptographyError) -> KeyHandle {
        try build("RSA") { builder in
            guard let n = BN_bin2bn(modulus, Int32(modulus.count), nil) else { return nil }
            defer { BN_free(n) }
            guard let e = BN_bin2bn(exponent, Int32(exponent.count), nil) else { return nil }
            defer { BN_free(e) }
            guard OSSL_PARAM_BLD_push_BN(builder, Name.modulus.pointer, n) == 1,
                OSSL_PARAM_BLD_push_BN(builder, Name.exponent.pointer, e) == 1
            else { return nil }
            return OSSL_PARAM_BLD_to_param(builder)
        }
    }

    static func ellipticCurve(_ curve: EllipticCurve, x: [UInt8], y: [UInt8]) throws(CryptographyError) -> KeyHandle {
        try build("EC") { builder in
            let uncompressed: [UInt8] = [0x04] + x + y
            return curve.rawValue.withCString { group in
                uncompressed.withUnsafeBytes { point in
                    guard OSSL_PARAM_BLD_push_utf8_string(builder, Name.group.pointer, group, 0) == 1,
                        OSSL_PARAM_BLD_push_octet_string(builder, Name.point.pointer, point.baseAddress, point.count)
                            == 1
                    else { return nil }
                    return OSSL_PARAM_BLD_to_param(builder)
                }
            }
        }
    }

    private static func build(
        _ kind: String, _ parameters: (OpaquePointer) -> UnsafeMutablePointer<OSSL_PARAM>?
    ) throws(CryptographyError) -> KeyHandle {
        FetchedAlgorithm.initialiseLibrary
        guard let builder = OSSL_PARAM_BLD_new() else { throw .library }
        defer { OSSL_PARAM_BLD_free(builder) }
        guard let parameters = parameters(builder) else { throw .library }
        defer { OSSL_PARAM_free(parameters) }
        guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { throw .library }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_fromdata_init(context) == 1,
            EVP_PKEY_fromdata(context, &key, cloakroom_evp_pkey_public_key, parameters) == 1, let key
        else {
            ERR_clear_error()
            throw .unusableKey
        }
        return KeyHandle(owning: key)
    }

    /// Parameter names that live as long as the process.
    private enum Name {
        static let modulus: StaticString = "n"
        static let exponent: StaticString = "e"
        static let group: StaticString = "group"
        static let point: StaticString = "pub"
    }
}

extension StaticString {
    /// The text as a C string.
    fileprivate var pointer: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
