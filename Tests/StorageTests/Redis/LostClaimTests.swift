import Basics
import Testing

@testable import StorageRedis

@Suite("A claim whose answer was lost")
struct LostClaimTests {
    private let now = Timestamp(seconds: 1_767_225_600)

    private func claim(_ owner: String) -> [LostClaims.Claim] {
        [LostClaims.Claim(owner: owner, until: now + .seconds(40))]
    }

    @Test("is known once, and until its lease would end")
    func once() {
        var claims = LostClaims()
        claims.note("a", claim("owner"))
        #expect(claims.take("b", at: now).isEmpty)
        #expect(claims.take("a", at: now).map(\.owner) == ["owner"])
        #expect(claims.take("a", at: now).isEmpty)
        claims.note("a", claim("owner"))
        #expect(claims.take("a", at: now + .seconds(40)).isEmpty)
    }

    @Test("is known beside others of the same lease, of which there are a few")
    func several() {
        var claims = LostClaims()
        for owner in ["x", "y"] { claims.note("a", claim(owner)) }
        #expect(claims.take("a", at: now).map(\.owner) == ["x", "y"])
        for number in 0..<1000 { claims.note("a", claim("\(number)")) }
        #expect(claims.take("a", at: now).count == 8)
    }

    @Test("is one of a bounded number")
    func bounded() {
        var claims = LostClaims()
        for number in 0..<5_000 { claims.note("\(number)", claim("owner")) }
        #expect((0..<5_000).count { !claims.take("\($0)", at: now).isEmpty } <= 1024)
        claims.note("last", claim("owner"))
        #expect(claims.take("last", at: now).map(\.owner) == ["owner"])
    }
}
