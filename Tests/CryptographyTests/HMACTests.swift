import Cryptography
import TestSupport
import Testing

@Suite("HMAC")
struct HMACTests {
    static let published: [HMACVector] = [
        HMACVector(
            number: 1,
            key: "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b",
            message: "4869205468657265",
            expected: [
                .sha256: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                .sha384: "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59c"
                    + "faea9ea9076ede7f4af152e8b2fa9cb6",
                .sha512: "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ]),
        HMACVector(
            number: 2,
            key: "4a656665",
            message: "7768617420646f2079612077616e7420666f72206e6f7468696e673f",
            expected: [
                .sha256: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                .sha384: "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e"
                    + "8e2240ca5e69e2c78b3239ecfab21649",
                .sha512: "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ]),
        HMACVector(
            number: 3,
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            message: "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
                + "dddddddddddddddddddddddddddddddddddd",
            expected: [
                .sha256: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                .sha384: "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b"
                    + "2a5ab39dc13814b94e3ab6e101a34f27",
                .sha512: "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
                    + "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
            ]),
        HMACVector(
            number: 4,
            key: "0102030405060708090a0b0c0d0e0f10111213141516171819",
            message: "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
                + "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
            expected: [
                .sha256: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
                .sha384: "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e"
                    + "6801dd23c4a7d679ccf8a386c674cffb",
                .sha512: "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
                    + "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
            ]),
        HMACVector(
            number: 6,
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaa",
            message: "54657374205573696e67204c6172676572205468616e20426c6f636b2d53697a"
                + "65204b6579202d2048617368204b6579204669727374",
            expected: [
                .sha256: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                .sha384: "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c6"
                    + "0c2ef6ab4030fe8296248df163f44952",
                .sha512: "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                    + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ]),
        HMACVector(
            number: 7,
            key: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                + "aaaaaa",
            message: "5468697320697320612074657374207573696e672061206c6172676572207468"
                + "616e20626c6f636b2d73697a65206b657920616e642061206c61726765722074"
                + "68616e20626c6f636b2d73697a6520646174612e20546865206b6579206e6565"
                + "647320746f20626520686173686564206265666f7265206265696e6720757365"
                + "642062792074686520484d414320616c676f726974686d2e",
            expected: [
                .sha256: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
                .sha384: "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5"
                    + "a678cc31e799176d3860e6110c46523e",
                .sha512: "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
                    + "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
            ]),
    ]

    @Test("agrees with the RFC 4231 vectors", arguments: published)
    func vectors(vector: HMACVector) {
        for (algorithm, expected) in vector.expected {
            let key = HMACKey([UInt8](hex: vector.key), algorithm)
            let message = [UInt8](hex: vector.message)
            #expect(key.authenticate(message).hex == expected)
            #expect(key.isValid([UInt8](hex: expected), for: message))
        }
    }

    @Test("accepts an empty key and an empty message")
    func empty() {
        #expect(
            HMACKey([]).authenticate([]).hex == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test("refuses a code with one bit changed, cut short, too long or empty")
    func refusals() {
        let key = HMACKey(Array("key".utf8))
        let message = Array("message".utf8)
        let mac = key.authenticate(message)
        for position in mac.indices {
            var changed = mac
            changed[position] ^= 0x80
            #expect(!key.isValid(changed, for: message))
        }
        #expect(!key.isValid(Array(mac.dropLast()), for: message))
        #expect(!key.isValid(mac + [0], for: message))
        #expect(!key.isValid([], for: message))
        #expect(!key.isValid(mac, for: message + [0]))
        #expect(!HMACKey(Array("kex".utf8)).isValid(mac, for: message))
    }

    @Test("of a key as long as the block is not the same as of its digest")
    func blockBoundary() {
        let block = [UInt8](repeating: 1, count: 64)
        #expect(HMACKey(block).authenticate([]) != HMACKey(Digest.hash(block)).authenticate([]))
        let longer = block + [1]
        #expect(HMACKey(longer).authenticate([]) == HMACKey(Digest.hash(longer)).authenticate([]))
    }
}

/// One published example.
struct HMACVector: Sendable, CustomTestStringConvertible {
    let number: Int
    let key: String
    let message: String
    let expected: [HashAlgorithm: String]
    var testDescription: String { "RFC 4231 test case \(number)" }
}
