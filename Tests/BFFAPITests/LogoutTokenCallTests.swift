import Basics
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A provider's call with a logout token")
struct LogoutTokenCallTests {
    private static let path = "/bff/standard/backchannel-logout"

    private func send(
        _ fixture: APIFixture, _ token: String, _ path: String = path, changing changes: [String: String?] = [:]
    ) async -> Answered {
        var fields: [String: String?] = ["Content-Type": "application/x-www-form-urlencoded", "X-CSRF": nil]
        fields.merge(changes) { $1 }
        return await fixture.browser.call(
            .post, path, "logout_token=" + PercentEncoding.encode(token), changing: fields)
    }

    @Test("ends the sign-in, is not kept anywhere, and gets an empty object; sent again it is refused")
    func done() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let token = fixture.provider.logoutToken(subject: "demo", id: "j-1")
        let answer = await send(fixture, token)
        #expect(answer.status == 200 && answer.text == "{}")
        #expect(answer.header("cache-control") == "no-store" && answer.header("set-cookie") == nil)
        let user = await browser.call(.get, "/bff/standard/user")
        #expect(user.status == 401 && user["reason"] == "ended")
        let again = await send(fixture, token)
        #expect(again.status == 400 && again.problem == "invalid-logout-token")
        #expect(again["error"] == "invalid_request" && again["error_description"] != nil)
        #expect(again.header("cache-control") == "no-store")
    }

    @Test("that is none is refused, and ends nothing")
    func refused() async throws {
        let fixture = try APIFixture()
        let browser = try await fixture.signedIn()
        let token = fixture.provider.logoutToken(subject: "demo", id: "j-1")
        let form = "application/x-www-form-urlencoded"
        let valid = PercentEncoding.encode(token)
        for (body, type, status, problem) in [
            ("", form, 400, "malformed"), ("token=x", form, 400, "malformed"),
            // A form without the token, with an empty one or with two is not judged.
            ("logout_token=", form, 400, "malformed"), ("logout_token=\(valid)&logout_token=", form, 400, "malformed"),
            ("logout_token=\(valid)&logout_token=\(valid)", form, 400, "malformed"),
            ("logout_token=%", form, 400, "malformed"),
            ("logout_token=" + valid, "application/json", 415, "unsupported-media-type"),
            ("logout_token=" + String(repeating: "a", count: 16 << 10), form, 413, "body-too-large"),
            ("logout_token=x", form, 400, "invalid-logout-token"),
        ] {
            let answer = await fixture.browser.call(
                .post, Self.path, body, changing: ["Content-Type": type, "X-CSRF": nil])
            #expect(answer.status == status && answer.problem == problem, "\(body.prefix(40))")
        }
        #expect(await send(fixture, token, Self.path + "?a=b").status == 400)
        #expect(await send(fixture, token, "/bff/nobody/backchannel-logout").status == 404)
        #expect(await send(fixture, token, "/bff/standard:alice/backchannel-logout").status == 404)
        #expect(await send(fixture, token, changing: ["Host": "evil.example.com"]).status == 421)
        #expect(await fixture.browser.call(.get, Self.path).status == 405)
        #expect(await browser.call(.get, "/bff/standard/user").status == 200)
    }

    @Test("is asked for again while keys or store are away")
    func outage() async throws {
        let store = MemoryStore(time: ManualTime())
        let fixture = try APIFixture(store: store)
        let unreachable = await send(fixture, fixture.provider.logoutToken(subject: "demo", id: "unreachable"))
        #expect(unreachable.status == 503 && unreachable.header("retry-after") != nil)
        await store.close()
        let answer = await send(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        #expect(answer.status == 503 && answer.problem == "store-unavailable")
    }

    @Test("is limited by the tokens that were refused, and by no others")
    func rate() async throws {
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 2, perMinute: 1) }
        for number in 0..<5 {
            let token = fixture.provider.logoutToken(subject: "demo", id: "j-\(number)")
            #expect(await send(fixture, token).status == 200)
        }
        for _ in 0..<2 { #expect(await send(fixture, "forged").status == 400) }
        let limited = await send(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-9"))
        #expect(limited.status == 429 && limited.header("retry-after") != nil)
    }

    @Test("is limited by tokens that no key could be found for")
    func unjudged() async throws {
        let fixture = try APIFixture { $0.peerRate = RateLimit(burst: 2, perMinute: 1) }
        for _ in 0..<2 {
            #expect(await send(fixture, fixture.provider.logoutToken(subject: "demo", id: "unreachable")).status == 503)
        }
        #expect(await send(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1")).status == 429)
    }
}

@Suite("The sessions of a user, for the user,")
struct OwnSessionCallTests {
    @Test("are listed and ended by their ids, the own one apart")
    func ends() async throws {
        let fixture = try APIFixture()
        let (mine, other, third) = (
            try await fixture.signedIn(), try await fixture.signedIn(), try await fixture.signedIn()
        )
        let list = await mine.call(.get, "/bff/standard/sessions")
        let sessions = try #require(list["sessions"]?.array)
        #expect(list.status == 200 && sessions.count == 3 && sessions.count { $0["current"] == true } == 1)
        let own = try #require(sessions.first { $0["current"] == true }?["id"]?.string)
        let refused = await mine.call(.delete, "/bff/standard/sessions/" + own)
        #expect(refused.status == 404 && refused.problem == "unknown-session")
        let theirs = await other.call(.get, "/bff/standard/sessions")["sessions"]?.array
        let id = try #require(theirs?.first { $0["current"] == true }?["id"]?.string)
        #expect(await mine.call(.delete, "/bff/standard/sessions/" + id).status == 204)
        #expect(await other.call(.get, "/bff/standard/user").status == 401)
        let ended = await mine.call(.delete, "/bff/standard/sessions")
        #expect(ended.status == 200 && ended["ended"] == 1)
        #expect(await third.call(.get, "/bff/standard/sessions").status == 401)
        #expect(await mine.call(.get, "/bff/standard/user").status == 200)
    }
}
