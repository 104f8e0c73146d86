import Basics
import Cryptography
import TestSupport
import Testing

@Suite("AES-256-GCM")
struct AEADTests {
    /// The AES-256 cases of the GCM submission to NIST with a nonce of 96 bits.
    static let published: [GCMVector] = [
        GCMVector(
            number: 13,
            key: "0000000000000000000000000000000000000000000000000000000000000000",
            nonce: "000000000000000000000000",
            additional: "",
            plaintext: "",
            ciphertext: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        GCMVector(
            number: 14,
            key: "0000000000000000000000000000000000000000000000000000000000000000",
            nonce: "000000000000000000000000",
            additional: "",
            plaintext: "00000000000000000000000000000000",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18",
            tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        GCMVector(
            number: 15,
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            additional: "",
            plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
            tag: "b094dac5d93471bdec1a502270e3cc6c"),
        GCMVector(
            number: 16,
            key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888",
            additional: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            plaintext: "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
            ciphertext: "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test("opens the NIST vectors", arguments: published)
    func vectors(vector: GCMVector) throws {
        let key = try #require(AEADKey([UInt8](hex: vector.key)))
        let sealed = [UInt8](hex: vector.nonce + vector.ciphertext + vector.tag)
        #expect(try key.open(sealed, additionalData: [UInt8](hex: vector.additional)).hex == vector.plaintext)
    }

    @Test("opens what it sealed, of every small length", arguments: 0...70)
    func roundTrip(count: Int) throws {
        let key = try #require(AEADKey(SecureRandom.bytes(32)))
        let plaintext = SecureRandom.bytes(count)
        for additional in [[], [1], SecureRandom.bytes(100)] {
            let sealed = try key.seal(plaintext, additionalData: additional)
            #expect(sealed.count == count + AEADKey.overhead)
            #expect(try key.open(sealed, additionalData: additional) == plaintext)
        }
    }

    @Test("refuses a change of any bit and any missing byte")
    func tampering() throws {
        let key = try #require(AEADKey(SecureRandom.bytes(32)))
        let sealed = try key.seal([1, 2, 3, 4, 5], additionalData: [9])
        for position in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[position] ^= 1 << bit
                #expect(throws: CryptographyError.notAuthentic) { try key.open(changed, additionalData: [9]) }
            }
            #expect(throws: CryptographyError.notAuthentic) {
                try key.open(Array(sealed[..<position]), additionalData: [9])
            }
        }
        #expect(throws: CryptographyError.notAuthentic) { try key.open(sealed + [0], additionalData: [9]) }
        #expect(throws: CryptographyError.notAuthentic) { try key.open(sealed, additionalData: []) }
        #expect(throws: CryptographyError.notAuthentic) { try key.open(sealed, additionalData: [9, 0]) }
        #expect(try key.open(sealed, additionalData: [9]) == [1, 2, 3, 4, 5])
    }

    @Test("refuses another key")
    func otherKey() throws {
        let sealed = try #require(AEADKey(SecureRandom.bytes(32))).seal([1])
        let other = try #require(AEADKey(SecureRandom.bytes(32)))
        #expect(throws: CryptographyError.notAuthentic) { try other.open(sealed) }
    }

    @Test("takes keys of 32 bytes only", arguments: [0, 1, 16, 24, 31, 33, 64])
    func keyLength(count: Int) {
        #expect(AEADKey([UInt8](repeating: 0, count: count)) == nil)
        #expect(AEADKey(SecretBytes([UInt8](repeating: 0, count: count))) == nil)
    }

    @Test("works on borrowed bytes as on arrays, and refuses a key of another length")
    func borrowed() throws {
        let (secret, plaintext, extra) = (SecureRandom.bytes(32), SecureRandom.bytes(50), SecureRandom.bytes(7))
        let key = try #require(AEADKey(secret))
        let sealed = try secret.withUnsafeBytes { secret in
            try extra.withUnsafeBytes { extra in
                try [UInt8]([1, 2, 3]).withUnsafeBytes { header in
                    try AEADKey.seal(plaintext, key: secret, additionalData: extra, header: header)
                }
            }
        }
        #expect(sealed.prefix(3) == [1, 2, 3] && sealed.count == 3 + plaintext.count + AEADKey.overhead)
        #expect(try key.open(Array(sealed.dropFirst(3)), additionalData: extra) == plaintext)
        let body = Array(sealed.dropFirst(3))
        func open(_ count: Int, _ body: [UInt8]) throws(CryptographyError) -> [UInt8] {
            let opened = secret.withUnsafeBytes { secret in
                extra.withUnsafeBytes { extra in
                    body.withUnsafeBytes { body in
                        Result { () throws(CryptographyError) in
                            try AEADKey.open(
                                body, key: UnsafeRawBufferPointer(rebasing: secret.prefix(count)),
                                additionalData: extra)
                        }
                    }
                }
            }
            return try opened.get()
        }
        #expect(try open(32, body) == plaintext)
        #expect(throws: CryptographyError.notAuthentic) { try open(32, [body[0] ^ 1] + body.dropFirst()) }
        #expect(throws: CryptographyError.notAuthentic) { try open(32, []) }
        for count in [0, 16, 31] {
            #expect(throws: CryptographyError.unusableKey) { try open(count, body) }
        }
    }

    @Test("never repeats a nonce, on one thread or on many")
    func nonces() async throws {
        let key = try #require(AEADKey(SecureRandom.bytes(32)))
        let nonces = try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
            for _ in 0..<8 {
                group.addTask { try (0..<1000).map { _ in Array(try key.seal([]).prefix(12)) } }
            }
            return try await group.reduce(into: [[UInt8]]()) { $0 += $1 }
        }
        #expect(Set(nonces).count == 8000)
    }

    @Test("serves keys in turn on one thread without mixing them")
    func interleaved() throws {
        let keys = try (0..<4).map { _ in try #require(AEADKey(SecureRandom.bytes(32))) }
        let sealed = try keys.enumerated().map { try $1.seal([UInt8($0)]) }
        for (position, key) in keys.enumerated().reversed() {
            #expect(try key.open(sealed[position]) == [UInt8(position)])
            #expect(throws: CryptographyError.notAuthentic) { try key.open(sealed[(position + 1) % 4]) }
        }
    }
}

/// One published example.
struct GCMVector: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: String
    let nonce: String
    let additional: String
    let plaintext: String
    let ciphertext: String
    let tag: String
    var testDescription: String { "test case \(number)" }
}
