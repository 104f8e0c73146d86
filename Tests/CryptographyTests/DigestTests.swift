import Cryptography
import TestSupport
import Testing

@Suite("Digests")
struct DigestTests {
    @Test(
        "agree with the FIPS 180-4 examples",
        arguments: [
            (HashAlgorithm.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (HashAlgorithm.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                HashAlgorithm.sha256, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                HashAlgorithm.sha384, "",
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da"
                    + "274edebfe76f65fbd51ad2f14898b95b"
            ),
            (
                HashAlgorithm.sha384, "abc",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed"
                    + "8086072ba1e7cc2358baeca134c825a7"
            ),
            (
                HashAlgorithm.sha384, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6"
                    + "b0455a8520bc4e6f5fe95b1fe3c8452b"
            ),
            (
                HashAlgorithm.sha512, "",
                "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                    + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
            ),
            (
                HashAlgorithm.sha512, "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                    + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
            ),
            (
                HashAlgorithm.sha512, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c335"
                    + "96fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445"
            ),
        ])
    func vectors(algorithm: HashAlgorithm, text: String, expected: String) {
        #expect(Digest.hash(Array(text.utf8), algorithm).hex == expected)
        #expect(Digest.hash(utf8: text, algorithm).hex == expected)
        #expect(algorithm.digestCount * 2 == expected.utf8.count)
    }

    @Test("of a million letters agree with FIPS 180-4")
    func long() {
        let digest = Digest.hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        #expect(digest.hex == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("made on many threads at once do not mix")
    func concurrent() async {
        let expected = Digest.hash(utf8: "abc")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<32 {
                group.addTask { (0..<200).allSatisfy { _ in Digest.hash(utf8: "abc") == expected } }
            }
            for await same in group { #expect(same) }
        }
    }
}
