import Basics
import Testing

@testable import StorageRedis

@Suite("A claim whose answer was lost")
struct LostClaimTests {
    private let now = Timestamp(seconds: 1_767_225_600)

    @Test("is known once, and until its lease would end")
    func once() {
        var claims = LostClaims()
        claims.note("a", "owner", until: now + .seconds(40))
        #expect(claims.take("b", at: now) == nil)
        #expect(claims.take("a", at: now) == "owner")
        #expect(claims.take("a", at: now) == nil)
        claims.note("a", "owner", until: now + .seconds(40))
        #expect(claims.take("a", at: now + .seconds(40)) == nil)
    }

    @Test("is one of a bounded number")
    func bounded() {
        var claims = LostClaims()
        for number in 0..<5_000 { claims.note("\(number)", "owner", until: now + .seconds(40)) }
        #expect((0..<5_000).count { claims.take("\($0)", at: now) != nil } <= 1024)
        claims.note("last", "owner", until: now + .seconds(40))
        #expect(claims.take("last", at: now) == "owner")
    }
}
