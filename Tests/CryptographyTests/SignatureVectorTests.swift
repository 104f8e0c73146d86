import Cryptography
import TestSupport
import Testing

@Suite("Published signatures")
struct SignatureVectorTests {
    @Test("of RFC 6979 A.2.5, P-256 with SHA-256, hold")
    func p256() throws {
        let key = try PublicKey(
            ecCurve: .p256,
            x: [UInt8](hex: "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
            y: [UInt8](hex: "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
        let signature = [UInt8](
            hex: "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716"
                + "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        #expect(key.isValid(signature: signature, for: Array("sample".utf8), .ecdsa(.sha256)))
        #expect(!key.isValid(signature: signature, for: Array("Sample".utf8), .ecdsa(.sha256)))
    }

    @Test("of RFC 6979 A.2.5 with SHA-384 are sound and yet refused: on P-256 only SHA-256 is in use")
    func p256WithOtherHash() throws {
        let key = try PublicKey(
            ecCurve: .p256,
            x: [UInt8](hex: "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6"),
            y: [UInt8](hex: "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299"))
        let signature = [UInt8](
            hex: "0EAFEA039B20E9B42309FB1D89E213057CBF973DC0CFC8F129EDDDC800EF7719"
                + "4861F0491E6998B9455193E34E7B0D284DDD7149A74B95B9261F13ABDE940954")
        #expect(!key.isValid(signature: signature, for: Array("sample".utf8), .ecdsa(.sha384)))
    }

    @Test("of RFC 6979 A.2.6, P-384 with SHA-384, hold")
    func p384() throws {
        let key = try PublicKey(
            ecCurve: .p384,
            x: [UInt8](
                hex: "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64"
                    + "DEF8F0EA9055866064A254515480BC13"),
            y: [UInt8](
                hex: "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1"
                    + "288B231C3AE0D4FE7344FD2533264720"))
        let signature = [UInt8](
            hex: "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C"
                + "81A648152E44ACF96E36DD1E80FABE46"
                + "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94F"
                + "A329C145786E679E7B82C71A38628AC8")
        #expect(key.isValid(signature: signature, for: Array("sample".utf8), .ecdsa(.sha384)))
        #expect(!key.isValid(signature: signature, for: Array("test".utf8), .ecdsa(.sha384)))
    }

    @Test("of RFC 8032 7.1, Ed25519, hold")
    func ed25519() throws {
        let empty = try PublicKey(
            ed25519: [UInt8](hex: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"))
        let first = [UInt8](
            hex: "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555"
                + "fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
        #expect(empty.isValid(signature: first, for: [], .ed25519))
        #expect(!empty.isValid(signature: first, for: [0], .ed25519))
        let one = try PublicKey(
            ed25519: [UInt8](hex: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
        let second = [UInt8](
            hex: "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                + "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
        #expect(one.isValid(signature: second, for: [0x72], .ed25519))
        #expect(!empty.isValid(signature: second, for: [0x72], .ed25519))
    }
}
