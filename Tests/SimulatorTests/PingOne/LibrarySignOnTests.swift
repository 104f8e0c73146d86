import Basics
import DaVinciClient
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("The DaVinci library signs in at the simulated environment")
struct LibrarySignOnTests {
    @Test func `by custom HTML, after a wrong password and a way out and back`() async throws {
        try await withRealm {
            $0.keepsRequests = true
        } _: { realm in
            let library = try PingOneLibrary(realm)
            #expect(try await library.start().isPage)
            #expect(library.ids == ["username", "password", "SIGNON", "REGISTER", "TROUBLE", "HELP"])
            let wrong = try await library.next(["username": "demo", "password": "wrong"], action: "SIGNON")
            #expect(wrong.error?.message == "Invalid username and/or password")
            #expect(try await library.next(action: "HELP").isPage)
            #expect(try await library.next(action: "BACK").isPage)
            #expect(try await library.next(PingOneLibrary.demo, action: "SIGNON").isSuccess)
            let claims = try await library.claims()
            #expect(claims["acr"] == "SignOn" && claims["amr"] == ["pwd"])
            realm.expectRefusals()
            for request in realm.simulator.requests {
                #expect(request.headers.single("x-requested-with") == "ping-sdk")
            }
        }
    }

    @Test(arguments: [(false, Authorization.Method.get), (false, .post), (true, .get)])
    func `by a form, with parameters in the query, in a form, or pushed`(_ par: Bool, _ method: Authorization.Method)
        async throws
    {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm, { $0.startsBy = method }, oidc: { $0.par = par })
            #expect(try await library.start("SignOnForms") { $0.loginHint = "demo" }.isPage)
            #expect(try await library.next(PingOneLibrary.forms).isSuccess)
            #expect(realm.simulator.received("/as/par") == (par ? 1 : 0))
            realm.expectRefusals()
        }
    }

    @Test func `at once where there is a session, until that is ended`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            #expect(try await library.start { $0.prompt = "none" }.reason == .loginRequired)
            try await library.start()
            #expect(try await library.next(PingOneLibrary.demo, action: "SIGNON").isSuccess)
            let first = try await library.claims()
            #expect(try await library.start { $0.prompt = "none" }.isSuccess)
            #expect(try await library.claims()["sid"] == first["sid"])
            _ = await library.bound.signOff()
            #expect(realm.simulator.sessionCount == 0)
            #expect(try await library.start().isPage)
            realm.expectRefusals()
        }
    }

    @Test func `as somebody else over a living session: not with it, but without`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start()
            try await library.next(PingOneLibrary.demo, action: "SIGNON")
            let alice: [String: JSONValue] = ["username": "alice", "password": .string(Realm.password)]
            try await library.start { $0.prompt = "login" }
            #expect(try await library.next(alice, action: "SIGNON").reason == .accountMismatch)
            try await library.start {
                $0.prompt = "login"
                $0.ignoresSession = true
            }
            #expect(try await library.next(alice, action: "SIGNON").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test func `with more proof by another client that shares the session`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start()
            try await library.next(PingOneLibrary.demo, action: "SIGNON")
            let more = try PingOneLibrary(realm, client: "workforce-tx", scopes: ["openid", "WRITE_TRANSACTION"])
            if let session = try await library.session.get() { try await more.session.save(session) }
            #expect(try await more.start("StepUp") { $0.prompt = "login" }.isPage)
            #expect(more.ids == ["otp", "submit"])
            #expect(try await more.next(["otp": "424242"]).isSuccess)
            let claims = try await more.claims()
            #expect(claims["acr"] == "StepUp" && claims["amr"] == ["pwd", "otp", "mfa"])
            realm.expectRefusals()
        }
    }

    @Test(
        "not at all where the application is set up wrongly",
        arguments: ["workforce-native", "workforce-page", "workforce-broken", "nobody"])
    func wrongApplication(_ client: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm, client: client)
            let node = try await library.start()
            #expect(node.cause != nil)
            realm.expectRefusals()
        }
    }

    @Test func `not after the flow's time, and not while the environment is down`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start()
            realm.time.advance(by: .seconds(301))
            #expect(try await library.next(PingOneLibrary.demo, action: "SIGNON").reason == .interactionExpired)
            try await library.start()
            realm.simulator.faults.add(.unavailable(retryAfter: 1), path: "customHTMLTemplate", count: 1)
            #expect(try await library.next(PingOneLibrary.demo, action: "SIGNON").cause != nil)
            realm.expectRefusals()
        }
    }
}
