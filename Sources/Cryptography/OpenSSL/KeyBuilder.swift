internal import COpenSSL

/// Builds an OpenSSL key from numbers.
///
/// Used and freed within one synchronous call.
struct KeyBuilder: ~Copyable {
    private let builder: OpaquePointer
    private var numbers: [OpaquePointer] = []

    init() throws(CryptographyError) {
        Fetched.initialiseLibrary
        guard let builder = OSSL_PARAM_BLD_new() else { throw .library }
        self.builder = builder
    }

    deinit {
        OSSL_PARAM_BLD_free(builder)
        for number in numbers { BN_free(number) }
    }

    mutating func push(_ name: String, number bytes: [UInt8]) throws(CryptographyError) {
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { throw .library }
        numbers.append(number)
        guard OSSL_PARAM_BLD_push_BN(builder, name, number) == 1 else { throw .library }
    }

    /// Builds the key; the text and the octets are borrowed by OpenSSL until the parameters have been copied.
    func publicKey(
        kind: String, text: (name: String, value: String)? = nil, octets: (name: String, value: [UInt8])? = nil
    ) throws(CryptographyError) -> KeyHandle {
        guard text.map({ OSSL_PARAM_BLD_push_utf8_string(builder, $0.name, $0.value, 0) }) ?? 1 == 1 else {
            throw .library
        }
        let built = (octets?.value ?? []).withUnsafeBytes { bytes -> OpaquePointer? in
            if let octets {
                guard OSSL_PARAM_BLD_push_octet_string(builder, octets.name, bytes.baseAddress, bytes.count) == 1
                else { return nil }
            }
            guard let parameters = OSSL_PARAM_BLD_to_param(builder) else { return nil }
            defer { OSSL_PARAM_free(parameters) }
            guard let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard EVP_PKEY_fromdata_init(context) == 1,
                EVP_PKEY_fromdata(context, &key, cloakroom_evp_pkey_public_key, parameters) == 1
            else { return nil }
            return key
        }
        guard let built else {
            ERR_clear_error()
            throw .unusableKey
        }
        return KeyHandle(owning: built)
    }
}
