import HTTPCore
import JOSE
import JSON
import TestSupport
import Testing

@testable import ResourceServer

@Suite("The key id of an access token is a hint:", .timeLimit(.minutes(1)))
struct KeyIDTests {
    private let fixture = GuardFixture()

    /// Decided before the keys were fetched, and again when they are at hand.
    private func decide(_ token: String) async throws -> [AccessDecision] {
        let accessGuard = try fixture.accessGuard(cachedTokens: 0)
        let first = await accessGuard.decide(token)
        return [first, await accessGuard.decide(token)]
    }

    @Test("where it names a key of another type, those that fit are tried, as OpenAM's ES256 tokens need")
    func otherType() async throws {
        let token = try fixture.token(header: ["kid": "r1"])
        #expect(try await decide(token).allSatisfy { $0.facts?.subject == "demo" })
        #expect(fixture.keyFetches == 1)
    }

    @Test("a signature of none of them is refused")
    func wrongSignature() async throws {
        let stranger = try SigningKey.generate(.ES256, keyID: "r1")
        #expect(try await decide(try fixture.token(signer: stranger)).allSatisfy { $0.kind == .invalidToken })
        var parts = try fixture.token(header: ["kid": "r1"]).split(separator: ".").map(String.init)
        parts[1] = try fixture.token([("sub", "alice")]).split(separator: ".").map(String.init)[1]
        #expect(try await decide(parts.joined(separator: ".")).allSatisfy { $0.kind == .invalidToken })
    }

    @Test("where it names a key of the right type, no other is tried")
    func rightType() async throws {
        let other = try SigningKey.generate(.ES256, keyID: "k2")
        fixture.serve(keys: [try GuardFixture.key.get().jwk, try GuardFixture.rsaKey.get().jwk, other.jwk])
        let wrong = try fixture.token(header: ["kid": "k2"])
        #expect(try await decide(wrong).allSatisfy { $0.kind == .invalidToken })
        #expect(try await decide(try fixture.token(signer: other)).allSatisfy { $0.facts != nil })
    }

    @Test("after a change of the keys that it stands for, tokens make the guard look again and are not refused")
    func rotation() async throws {
        let accessGuard = try fixture.accessGuard(cachedTokens: 0)
        #expect(await accessGuard.decide(try fixture.token(header: ["kid": "r1"])).facts != nil)
        #expect(await accessGuard.decide(try fixture.token(header: ["kid": "made-up"])).kind == .invalidToken)
        let next = try SigningKey.generate(.ES256, keyID: "k2")
        fixture.serve(keys: [try GuardFixture.rsaKey.get().jwk, next.jwk])
        #expect(fixture.keyFetches == 2)
        let renewed = try fixture.token(header: ["kid": "r1"], signer: next)
        #expect(await accessGuard.decide(renewed).facts != nil)
        #expect(fixture.keyFetches == 3)
        // What the keys at hand do not verify is refused once they were looked at again, and at last without that.
        for fetches in [4, 5, 6, 7, 7, 7] {
            #expect(await accessGuard.decide(try fixture.token(header: ["kid": "r1"])).kind == .invalidToken)
            #expect(fixture.keyFetches == fetches)
        }
    }

    @Test("keys that were tried on a token are not tried again, others are")
    func once() throws {
        let text = try fixture.token(header: ["kid": "r1"])
        let (rsa, good) = (try GuardFixture.rsaKey.get().jwk, try GuardFixture.key.get().jwk)
        var trial = KeyTrial(try JWS.parse(text), algorithms: [.ES256])
        #expect(try trial.isSigned(with: JWKSet([rsa])) == false)
        #expect(try trial.isSigned(with: JWKSet([rsa, good])))
        // Tried: there is no second look at the signature, not even at a good one.
        #expect(try trial.isSigned(with: JWKSet([rsa, good])) == false)
    }

    @Test("an algorithm that is not on the list is refused, whatever it names")
    func algorithm() async throws {
        let token = try fixture.token(header: ["kid": "r1"])
        let accessGuard = try fixture.accessGuard { $0.algorithms = [.RS256] }
        #expect(await accessGuard.decide(token).kind == .invalidToken)
    }
}
