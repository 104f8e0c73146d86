import Basics
import Cryptography
import JSON
import TestSupport
import Testing

@testable import JOSE

@Suite("A device's proof")
struct DeviceProofFormTests {
    private static let audience = "https://app.example.com/bff/device"
    private static let elsewhere = ["kid", "jku", "x5u", "x5c", "x5t", "x5t#S256"]

    private func proof(_ text: String) throws -> DeviceProof { try DeviceProof(text, audience: Self.audience) }

    @Test("registers a key that later proofs are checked with:", arguments: [false, true])
    func whole(rsa: Bool) throws {
        let device = try SoftwareDevice(rsa: rsa)
        let first = try proof(try device.register("one"))
        #expect(first.challenge == "one")
        try first.verifyNewKey()
        let key = try first.newKey()
        let stored = try DeviceKey(encoded: key.encoded, algorithm: key.algorithm.rawValue)
        #expect(stored == key)
        let later = try proof(try device.prove("two"))
        #expect(later.challenge == "two")
        try later.verify(with: stored)
    }

    @Test("is read bare and in quotation marks, with the endpoint as audience and without one")
    func forms() throws {
        let device = try SoftwareDevice()
        let text = try device.register("one", claims: ["aud": .string(Self.audience)])
        try proof(text).verifyNewKey()
        try proof("\"\(text)\"").verifyNewKey()
        #expect(throws: JOSEError.malformed) { try proof("\"\(text)") }
        #expect(throws: JOSEError.malformed) { try proof("\"") }
    }

    /// Headers of a proof that is refused before its signature is looked at.
    private static let headers: [(String, [String: JSONValue?], JOSEError)] =
        [
            ("no type", ["typ": .some(nil)], .malformed),
            ("another type", ["typ": "jwt"], .malformed),
            ("another case of the type", ["typ": "DBSC+JWT"], .malformed),
            ("alg none", ["alg": "none"], .algorithmRefused),
            ("HMAC", ["alg": "HS256"], .algorithmRefused),
            ("an algorithm that was not offered", ["alg": "ES384"], .algorithmRefused),
            ("an extension", ["crit": ["b64"]], .extensionRequired),
        ] + elsewhere.map { ("a key elsewhere: " + $0, [$0: "x"], .unusableKey) }

    @Test("is refused with", arguments: headers.map(\.0))
    func header(_ name: String) throws {
        let row = try #require(Self.headers.first { $0.0 == name })
        let device = try SoftwareDevice()
        #expect(throws: row.2) { try proof(try device.register("one", header: row.1)) }
        #expect(throws: row.2) { try proof(try device.prove("one", header: row.1)) }
    }

    @Test(
        "is refused with claims:",
        arguments: [
            ["jti": .some(nil)], ["jti": ""], ["jti": 7], ["aud": "https://app.example.com/"],
            ["aud": ["https://app.example.com/bff/device", "https://other.example.com"]], ["aud": .array([])],
        ] as [[String: JSONValue?]])
    func claims(_ claims: [String: JSONValue?]) throws {
        let device = try SoftwareDevice()
        #expect(throws: JOSEError.malformed) { try proof(try device.register("one", claims: claims)) }
    }

    @Test("is refused when it is too long, or not three parts")
    func form() throws {
        let device = try SoftwareDevice()
        #expect(throws: JOSEError.tooLarge) {
            try proof(try device.register(String(repeating: "a", count: 4096)))
        }
        let text = try device.register("one")
        for bad in ["", ".", "..", text + ".", String(text.dropFirst()), text.replacing(".", with: "..")] {
            #expect(throws: JOSEError.malformed, "\(bad)") { try proof(bad) }
        }
    }

    @Test("is no registration without its key, or with another's signature")
    func foreignKey() throws {
        let (device, other) = (try SoftwareDevice(), try SoftwareDevice())
        #expect(throws: JOSEError.unusableKey) { try proof(try device.prove("one")).verifyNewKey() }
        #expect(throws: JOSEError.unusableKey) { try proof(try device.register("one", header: ["jwk": "x"])).newKey() }
        let forged = try device.register("one", header: ["jwk": .object(other.jwk)])
        #expect(throws: JOSEError.badSignature) { try proof(forged).verifyNewKey() }
    }

    @Test("is refused later when it brings a key, is by another key or of another algorithm")
    func later() throws {
        let device = try SoftwareDevice()
        let key = try proof(try device.register("one")).newKey()
        #expect(throws: JOSEError.unusableKey) { try proof(try device.register("two")).verify(with: key) }
        #expect(throws: JOSEError.badSignature) { try proof(try SoftwareDevice().prove("two")).verify(with: key) }
        #expect(throws: JOSEError.algorithmRefused) {
            try proof(try SoftwareDevice(rsa: true).prove("two")).verify(with: key)
        }
        let good = try device.prove("two")
        let cut = String(good.dropLast(2)) + "AA"
        #expect(throws: JOSEError.badSignature) { try proof(cut).verify(with: key) }
        let parts = good.split(separator: ".")
        let short = parts[0] + "." + parts[1] + "." + Base64URL.encode([UInt8](repeating: 1, count: 63))
        #expect(throws: JOSEError.badSignature) { try proof(String(short)).verify(with: key) }
        let changed = parts[0] + "." + Base64URL.encode(Array(#"{"jti":"three"}"#.utf8)) + "." + parts[2]
        #expect(throws: JOSEError.badSignature) { try proof(String(changed)).verify(with: key) }
    }

    private static let largeModulus = """
        s8XAQ9FOjpARQ7dpfCubZpUomh2ZkEdDHkkSQOZyGHZ5wmAuIyGs5wyuv0aFAdLfL3eH16w7dCvRVWgBXU4wWFCbpbRIA0IMyrI4\
        JqwKtkhhwSKBx7dEREQj68pZWSh8OSIPjfnuKGN5yJ3W8oBLGjaV2fxfmv5t0jIVkdGvHC0mT_gGzqffYOjJFzqQkWP38nAVxY1B\
        frNRJoTnzfADPk7Kp5druGnaduaG4croMSXpmWTvlr_EL7nj1zrqsSFgX_YqPzDDE62vExdGRZa27lpUcq5w_aV8vRJ3TRuBaYo7\
        8_2n1WxopFBzNlU3rKIhIHxLw5DxiDRuVHTN1Z8bNlBZujiBOyIa8zwYjI3Q3GMWE8bSOtmE5AB9AQgA8NxNsCzZ6R_fh2OaQl8G\
        qedJlyoIlc49OZ8oVOpv5WXZhL7DbUCJojmHiJP_BEgZD3rsQhUMgZYYH2EFaKuCNS4xfTfjd1fSM1y6zaDhlDk0rjEJuTl3Vce-\
        f2OCPrytR_-FjtQjRt1Y26yZXtGqXpTFKWa_NPaoUWgubR7sLzcdbtGmQa2kWc9AeGoxpLJpkI7OJ1mGwyznGITTNax3xc7ROD2S\
        A3D5_8zV8ZvXxe4gsmmXEa1k_rhbnj7e7l0zIm6_gc0TelTAs-f4iT5dNL3qJWy2BQygE1ni8EeWCcadnXQ7
        """

    @Test("brings a usual key alone")
    func keys() throws {
        let (curve, rsa) = (try SoftwareDevice().jwk, try SoftwareDevice(rsa: true).jwk)
        _ = try DeviceKey(curve, .ES256)
        _ = try DeviceKey(rsa, .RS256)
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(curve, .RS256) }
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(rsa, .ES256) }
        #expect(throws: JOSEError.algorithmRefused) { try DeviceKey(rsa, .PS256) }
        var secret = curve
        secret["d"] = "AAAA"
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(secret, .ES256) }
        var off = curve
        off["y"] = .bytes([UInt8](repeating: 3, count: 32))
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(off, .ES256) }
        let wider = JWK(try PrivateKey.generateEC(.p384).publicKey, id: nil).json
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(wider, .ES256) }
        var small = rsa
        small["e"] = .bytes([3])
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(small, .RS256) }
        // A good modulus but for its 4,104 bits: one with small factors is refused by OpenSSL.
        var large = rsa
        large["n"] = .string(Self.largeModulus)
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(large, .RS256) }
    }
}
