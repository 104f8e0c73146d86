import Cryptography
import TestSupport
import Testing

@Suite("HKDF")
struct HKDFTests {
    static let published: [HKDFVector] = [
        HKDFVector(
            secret: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
            salt: "000102030405060708090a0b0c",
            info: "f0f1f2f3f4f5f6f7f8f9",
            expected: "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                + "34007208d5b887185865"),
        HKDFVector(
            secret: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
                + "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
                + "404142434445464748494a4b4c4d4e4f",
            salt: "606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"
                + "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
                + "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf",
            info: "b0b1b2b3b4b5b6b7b8b9babbbcbdbebfc0c1c2c3c4c5c6c7c8c9cacbcccdcecf"
                + "d0d1d2d3d4d5d6d7d8d9dadbdcdddedfe0e1e2e3e4e5e6e7e8e9eaebecedeeef"
                + "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            expected: "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
                + "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
                + "cc30c58179ec3e87c14c01d5c1f3434f1d87"),
        HKDFVector(
            secret: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
            salt: "",
            info: "",
            expected: "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
                + "9d201395faa4b61a96c8"),
    ]

    @Test("agrees with the RFC 5869 vectors", arguments: published)
    func vectors(vector: HKDFVector) {
        let expected = [UInt8](hex: vector.expected)
        let derived = HKDF.derive(
            secret: [UInt8](hex: vector.secret), salt: [UInt8](hex: vector.salt), info: [UInt8](hex: vector.info),
            count: expected.count)
        #expect(derived == expected)
    }

    @Test("gives any length, each a prefix of the longer")
    func lengths() {
        let whole = HKDF.derive(secret: [1, 2, 3], info: [9], count: 255 * 32)
        #expect(whole.count == 255 * 32)
        for count in [0, 1, 31, 32, 33, 64, 65] {
            #expect(HKDF.derive(secret: [1, 2, 3], info: [9], count: count) == Array(whole.prefix(count)))
        }
    }

    @Test("gives another key for another purpose, salt or hash")
    func separation() {
        let keys = [
            HKDF.derive(secret: [1], info: [1], count: 32), HKDF.derive(secret: [1], info: [2], count: 32),
            HKDF.derive(secret: [1], salt: [1], info: [1], count: 32), HKDF.derive(secret: [2], info: [1], count: 32),
            HKDF.derive(secret: [1], info: [1], count: 32, algorithm: .sha512),
        ]
        #expect(Set(keys).count == keys.count)
    }
}

/// One published example.
struct HKDFVector: Sendable {
    let secret: String
    let salt: String
    let info: String
    let expected: String
}
