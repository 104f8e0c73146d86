internal import COpenSSL

/// One reference to an OpenSSL key, public or private.
///
/// Sendable invariant: the key is complete when this is made and never changed; OpenSSL allows its use from several
/// threads at once and frees it with the last reference.
final class KeyHandle: @unchecked Sendable {
    let raw: OpaquePointer

    /// Takes over the caller's reference.
    init(owning raw: OpaquePointer) {
        self.raw = raw
    }

    deinit {
        EVP_PKEY_free(raw)
    }

    /// The bits of an RSA modulus or of a curve's order.
    var bits: Int { Int(EVP_PKEY_get_bits(raw)) }

    func isKind(_ name: String) -> Bool {
        EVP_PKEY_is_a(raw, name) == 1
    }

    /// The curve of an EC key that we support.
    var curve: EllipticCurve? {
        guard isKind("EC") else { return nil }
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(raw, &name, name.count, &count) == 1 else { return nil }
        return
            switch name.withUnsafeBufferPointer({ String(decoding: $0.prefix(count).map(UInt8.init), as: UTF8.self) })
        {
        case "prime256v1", "P-256", "secp256r1": .p256
        case "secp384r1", "P-384": .p384
        case "secp521r1", "P-521": .p521
        default: nil
        }
    }

    /// A number of the key, big-endian, left-padded to `count` bytes where that is given.
    func number(_ parameter: String, count: Int? = nil) -> [UInt8]? {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(raw, parameter, &number) == 1, let number else { return nil }
        defer { BN_free(number) }
        let size = count ?? Int(BN_num_bits(number) + 7) / 8
        var bytes = [UInt8](repeating: 0, count: size)
        guard BN_bn2binpad(number, &bytes, Int32(size)) == Int32(size) else { return nil }
        return bytes
    }
}
