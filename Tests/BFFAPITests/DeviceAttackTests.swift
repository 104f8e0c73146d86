import BFF
import Basics
import HTTPCore
import HTTPServer
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

@Suite("A device's proof at the endpoints")
struct DeviceAttackTests {
    // MARK: Registration

    @Test("registers nothing with a challenge that is late, another's or for another purpose")
    func challenges() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        let other = try await BoundBrowser.signedIn(fixture)
        try await bound.signIn()
        for challenge in [other.lastChallenge, "", "x", "1.x", bound.lastChallenge + "A"] {
            let proof = try bound.device.register(challenge)
            #expect(await bound.register(proof).problem == "device-proof-refused", "\(challenge)")
        }
        let foreign = try BoundBrowser(fixture.browser)
        try await foreign.signIn()
        let proof = try bound.device.register(foreign.lastChallenge)
        #expect(await bound.register(proof).problem == "device-proof-refused")
        fixture.time.advance(by: .seconds(59))
        #expect(await bound.register(changing: ["Secure-Session-Response": nil]).status == 400)
        fixture.time.advance(by: .seconds(1))
        #expect(await bound.register().problem == "device-proof-refused")
        #expect(await bound.browser.call(.get, "/bff/session")["device"] == "unbound")
    }

    @Test("registers one key: a second one is 409, and the same once more gets its answer")
    func secondKey() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let challenge = bound.lastChallenge
        let proof = try bound.device.register(challenge)
        #expect(await bound.register(proof).status == 200)
        let thief = try SoftwareDevice()
        #expect(await bound.register(try thief.register(challenge)).problem == "device-bound")
        #expect(await bound.register(proof).status == 200)
        // The key alone, which is public, is not enough for that.
        let parroted = try thief.register(challenge, header: ["jwk": .object(bound.device.jwk)])
        #expect(await bound.register(parroted).problem == "device-proof-refused")
        #expect(await bound.refresh().status == 204)
    }

    @Test("registers one of two keys that come at once")
    func race() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let proofs = try (0..<4).map { _ in try SoftwareDevice().register(bound.lastChallenge) }
        let statuses = await withTaskGroup { group in
            for proof in proofs { group.addTask { await bound.register(proof).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [200, 409, 409, 409])
    }

    @Test("registers nothing without a sign-in")
    func anonymous() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        #expect(await bound.register().problem == "device-proof-refused")
        _ = await bound.browser.call(.post, "/bff/standard/start", "{}")
        #expect(await bound.register().problem == "device-proof-refused")
    }

    @Test("with a session cookie that was replaced binds nothing, and later gets no device cookie")
    func oldCookie() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        let name = fixture.settings.cookieName
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        let former = bound.browser.cookies[name]
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        let current = bound.browser.cookies[name]
        bound.browser.cookies[name] = former
        #expect(await bound.register().problem == "device-proof-refused")
        bound.browser.cookies[name] = current
        #expect(await bound.register().status == 200)
        fixture.time.advance(by: .seconds(31))
        bound.browser.cookies[name] = former
        let late = await bound.refresh()
        #expect(late.headers["set-cookie"]?.contains { $0.contains("Max-Age=300") } != true)
        bound.browser.cookies[name] = current
        #expect(await bound.refresh().status == 204)
    }

    @Test("takes no step-up back whose cookie was not used yet, and is worth nothing to a cookie that is dead")
    func replacedCookie() async throws {
        let fixture = try APIFixture.binding(routes: [
            try Ledger.route("/api/payments", "/v1/payments", [.post], .requirement("pay"))
        ])
        let name = fixture.settings.cookieName
        let bound = try await BoundBrowser.signedIn(fixture)
        let refused = await bound.browser.call(.post, "/api/payments", "{}")
        let former = bound.browser.cookies[name]
        let thief = bound.copied(name)
        #expect(try await bound.browser.stepUp(refused)["type"] == "success")
        let current = bound.browser.cookies[name]
        for seconds in [1, 14] as [Int64] {
            fixture.time.advance(by: .seconds(seconds))
            for path in ["/bff/device", "/bff/device/refresh"] {
                let named = [("Sec-Secure-Session-Id", bound.id)]
                let answer = await thief.call(.post, path, changing: ["X-CSRF": nil], adding: named)
                #expect(answer.status >= 400 && answer.headers["set-cookie"] == nil)
            }
        }
        #expect(bound.browser.cookies[name] == current)
        #expect(await bound.browser.call(.get, "/bff/transaction/user").status == 200)
        // The new cookie has been used: with the former one even the device itself gets nothing.
        fixture.time.advance(by: .seconds(1))
        bound.browser.cookies[name] = former
        let late = await bound.refresh(try bound.device.prove(bound.lastChallenge))
        #expect(late.status == 503 && late.headers["set-cookie"] == nil)
        bound.browser.cookies[name] = current
        #expect(await bound.refresh().status == 204)
    }

    @Test("is refused to another site's page, a body, a query and an unknown host")
    func callers() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let proof = ("Secure-Session-Response", try bound.device.prove(bound.lastChallenge))
        let named = [proof, ("Sec-Secure-Session-Id", bound.id)]
        for path in ["/bff/device", "/bff/device/refresh"] {
            for change: [String: String?] in [
                ["X-CSRF": nil, "Origin": "https://evil.example"], ["X-CSRF": nil, "Sec-Fetch-Site": "cross-site"],
            ] {
                #expect(await bound.browser.call(.post, path, changing: change, adding: named).problem == "csrf")
            }
            let plain: [String: String?] = ["X-CSRF": nil]
            #expect(await bound.browser.call(.post, path, "{}", changing: plain, adding: named).status == 400)
            #expect(await bound.browser.call(.post, path + "?a=b", changing: plain, adding: named).status == 400)
            #expect(
                await bound.browser.call(.post, path, changing: ["Host": "evil.example"], adding: named).status == 421)
            #expect(await bound.browser.call(.get, path).status == 405)
        }
        // Browsers need not say where they come from.
        let silent: [String: String?] = ["X-CSRF": nil, "Origin": nil, "Sec-Fetch-Site": nil]
        #expect(
            await bound.browser.call(.post, "/bff/device/refresh", changing: silent, adding: named).status == 204)
    }

    // MARK: Refresh

    @Test("is challenged when it is missing, old, of another session or for another purpose")
    func stale() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        let registration = bound.lastChallenge
        #expect(await bound.register().status == 200)
        let first = bound.lastChallenge
        let other = try await BoundBrowser.signedIn(fixture)
        let none = await bound.refresh(changing: ["Secure-Session-Response": nil])
        #expect(none.status == 403 && none.problem == "device-challenge" && none.headers["set-cookie"] == nil)
        #expect(none.header("secure-session-challenge")?.hasSuffix(";id=\"\(bound.id)\"") == true)
        for challenge in [registration, other.lastChallenge, "x"] {
            #expect(await bound.refresh(try bound.device.prove(challenge)).problem == "device-challenge")
        }
        fixture.time.advance(by: .seconds(359))
        #expect(await bound.refresh(try bound.device.prove(first)).status == 204)
        fixture.time.advance(by: .seconds(1))
        #expect(await bound.refresh(try bound.device.prove(first)).problem == "device-challenge")
        #expect(await bound.refresh().status == 204)
    }

    @Test("of another key is an alarm, and in the first minute to be repeated")
    func otherKey() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let other = try SoftwareDevice()
        let early = await bound.refresh(try other.prove(bound.lastChallenge))
        #expect(early.status == 503 && early.problem == "device-proof-missing")
        fixture.time.advance(by: .seconds(60))
        let late = await bound.refresh(try other.prove(bound.lastChallenge))
        #expect(late.status == 401 && late.problem == "device-proof-required" && late.headers["set-cookie"] == nil)
        // The key is the stored one, also where the proof brings its own.
        let carried = try other.register(bound.lastChallenge)
        #expect(await bound.refresh(carried).status == 401)
        for bad in ["", "x", "a.b.c"] { #expect(await bound.refresh(bad).status == 401, "\(bad)") }
        let elsewhere = try bound.device.prove(bound.lastChallenge, claims: ["aud": "https://other.example/"])
        #expect(await bound.refresh(elsewhere).status == 401)
        let named = try bound.device.prove(
            bound.lastChallenge, claims: ["aud": "https://app.example.com/bff/device/refresh"])
        #expect(await bound.refresh("\"\(named)\"").status == 204)
    }

    @Test("without the session cookie, or with that of another session, is worth nothing")
    func withoutSession() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        let proof = try bound.device.prove(bound.lastChallenge)
        let thief = try BoundBrowser(fixture.browser)
        let ended = await thief.refresh(proof)
        #expect(ended.status == 200 && ended["continue"] == false)
        #expect(thief.deviceCookie == nil)
        let other = try await BoundBrowser.signedIn(fixture)
        #expect(await other.refresh(proof).problem == "device-challenge")
    }

    @Test("has to name the binding, as no page can")
    func named() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        for name in [nil, "x", "\"x\"", "cloakroom-"] as [String?] {
            #expect(await bound.refresh(changing: ["Sec-Secure-Session-Id": name]).status == 400)
        }
        #expect(await bound.refresh(changing: ["Sec-Secure-Session-Id": "\"\(bound.id)\""]).status == 204)
    }

    @Test("of an unbound session is to be repeated in the first minute, and then ends the browser's binding")
    func unbound() async throws {
        let fixture = try APIFixture.binding()
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        #expect(await bound.refresh().status == 503)
        fixture.time.advance(by: .seconds(60))
        let ended = await bound.refresh()
        #expect(ended.status == 200 && ended["continue"] == false)
    }

    @Test("beyond the rate is 503 and not 429, at which browsers would forget the key")
    func rate() async throws {
        let fixture = try APIFixture(devices: BoundBrowser.life) {
            $0.sessionRate = RateLimit(burst: 4, perMinute: 1)
        }
        let bound = try BoundBrowser(fixture.browser)
        try await bound.signIn()
        #expect(await bound.register().status == 200)
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(await bound.refresh().status) }
        #expect(statuses.last == 503 && Set(statuses) == [204, 503])
    }

    @Test("while the store is down is 503")
    func storeDown() async throws {
        let fixture = try APIFixture.binding()
        let bound = try await BoundBrowser.signedIn(fixture)
        await fixture.store.close()
        #expect(await bound.refresh().problem == "store-unavailable")
        #expect(await bound.register().problem == "store-unavailable")
    }

    @Test("is never passed on to an API, nor an API's offer to the browser")
    func reserved() {
        for name in ["Secure-Session-Registration", "Secure-Session-Challenge", "Secure-Session-Response"] {
            guard let field = try? HTTPField.Name(checking: name) else {
                Issue.record("no name")
                continue
            }
            #expect(ReservedFields.answers.contains(field) && ReservedFields.requests.contains(field))
        }
    }
}
