import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// Several flows of one browser whose users have left.
extension ReturnTests {
    @Test("is one of five, of whom those go first who have come back")
    func several() async throws {
        let fixture = try Fixture { $0.flowsPerInstance = 20 }
        let (browser, first) = try await away(fixture)
        _ = try await browser.leave(first)
        for number in 0..<4 {
            fixture.provider.script(.start, .page("Elsewhere2"))
            _ = try await browser.leave(try await browser.start())
            guard number == 0 else { continue }
            fixture.provider.script(.next, .page("Again"))
            _ = try await browser.resume(try handle(try await browser.arrive(["state": "s-2"])))
        }
        fixture.provider.script(.start, .page("Elsewhere2"))
        _ = try await browser.leave(try await browser.start())
        #expect(try await browser.arrive(["state": "s-1"]).handle != nil)
        fixture.provider.script(.start, .page("Elsewhere2"))
        _ = try await browser.leave(try await browser.start())
        #expect(try await browser.arrive(["state": "s-1"]).handle == nil)
        #expect(try await browser.arrive(["state": "s-2"]).handle != nil)
    }

    /// A browser with two flows whose users have left without a `state`, as PingOne has them leave.
    private func twoAway(_ fixture: Fixture) async throws -> (Browser, first: String, second: String) {
        let (browser, one) = try await away(fixture, "Stateless")
        _ = try await browser.leave(one)
        fixture.provider.script(.start, .page("Stateless"))
        let two = try await browser.start()
        _ = try await browser.leave(two)
        return (browser, try #require(one["flow"]?.string), try #require(two["flow"]?.string))
    }

    @Test("in two tabs, without a state, comes back in any order: each goes on with what that tab has brought")
    func otherOrder() async throws {
        let fixture = try Fixture()
        let (browser, first, second) = try await twoAway(fixture)
        let two = try handle(try await browser.arrive(["code": "two"]))
        let one = try handle(try await browser.arrive(["code": "one"]))
        fixture.provider.script(.next, .page("Again"), .page("Again"))
        _ = try await browser.resume(one, of: first)
        _ = try await browser.resume(two, of: second)
        #expect(fixture.provider.returned == [["code": "one"], ["code": "two"]])
        #expect(try await browser.arrive(["code": "three"]).handle == nil)
    }

    @Test("goes on with a handle once: it is for one flow, and another one's is still good")
    func oneFlow() async throws {
        let fixture = try Fixture()
        let (browser, first, second) = try await twoAway(fixture)
        let one = try handle(try await browser.arrive(["code": "one"]))
        fixture.provider.script(.next, .page("Again"), .page("Again"))
        _ = try await browser.resume(one, of: first)
        await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(one, of: second) }
        _ = try await browser.resume(try handle(try await browser.arrive(["code": "two"])), of: second)
        #expect(fixture.provider.returned == [["code": "one"], ["code": "two"]])
    }

    @Test("is not burnt where the tab names a flow of another state, or one that left later")
    func wrongFlow() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        fixture.provider.script(.start, .page("Stateless"))
        let early = try await browser.start()
        _ = try await browser.leave(early)
        let one = try handle(try await browser.arrive(["state": "s-1"]))
        var others = [early]
        for name in ["Elsewhere2", "Stateless"] {
            fixture.provider.script(.start, .page(name))
            others.append(try await browser.start())
            _ = try await browser.leave(others[others.count - 1])
        }
        for other in others {
            await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(one, of: other["flow"]?.string) }
        }
        #expect(fixture.provider.count(.next) == 0)
        fixture.provider.script(.next, .page("Again"), .page("Again"))
        _ = try await browser.resume(one, of: page["flow"]?.string)
        #expect(fixture.provider.returned == [["state": "s-1"]])
        _ = try await browser.resume(
            try handle(try await browser.arrive(["state": "s-2"])), of: others[1]["flow"]?.string)
    }

    @Test("is neither displaced nor spent by whatever another site has the browser bring, before or after")
    func flooded() async throws {
        let fixture = try Fixture()
        let (browser, first, second) = try await twoAway(fixture)
        let long = String(repeating: "x", count: 8000)
        for number in 0..<100 { _ = try await browser.arrive(["code": "evil-\(number)", "error": long]) }
        let one = try handle(try await browser.arrive(["code": "one"]))
        let two = try handle(try await browser.arrive(["code": "two"]))
        for number in 0..<100 { _ = try await browser.arrive(["code": "evil-\(number)", "error": long]) }
        fixture.provider.script(.next, .page("Again"), .page("Again"))
        _ = try await browser.resume(two, of: second)
        _ = try await browser.resume(one, of: first)
        #expect(fixture.provider.returned == [["code": "two"], ["code": "one"]])
    }
}
