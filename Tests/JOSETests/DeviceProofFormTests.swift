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
        var large = rsa
        large["n"] = .bytes([UInt8](repeating: 0xFF, count: 513))
        #expect(throws: JOSEError.unusableKey) { try DeviceKey(large, .RS256) }
    }
}
