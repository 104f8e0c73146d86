import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A session of the simulator")
struct SessionTests {
    @Test("is given back at a start without ForceAuth, with exactly that spelling")
    func existing() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            for parameters in [[], [("forceAuth", "true")], [("ForceAuth", "TRUE")], [("ForceAuth", "false")]] {
                let reply = try await realm.start("StepUp", parameters, session: session)
                #expect(reply.json["tokenId"]?.string == session)
                #expect(reply.headers("set-cookie").allSatisfy { !$0.hasPrefix(realm.cookieName) })
            }
            #expect(try await realm.start("Login", [("ForceAuth", "true")], session: session).json["authId"] != nil)
            #expect(try await realm.start("Login", session: session + "x").json["authId"] != nil)
        }
    }

    @Test("is recognised in the header named after the cookie, in the cookie, and nowhere else")
    func transport() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let recognised: [[(String, String)]] = [
                [(realm.cookieName, session)], [(realm.cookieName.uppercased(), session)],
                [("Cookie", "amlbcookie=01; \(realm.cookieName)=\(session)")],
            ]
            for headers in recognised {
                #expect(try await realm.start("Login", headers: headers).json["tokenId"]?.string == session)
            }
            let ignored: [[(String, String)]] = [
                [("iPlanetDirectoryPro", session)], [("Cookie", "iPlanetDirectoryPro=\(session)")],
                [("Authorization", "Bearer \(session)")],
                [(realm.cookieName, session), (realm.cookieName, session)],
            ]
            for headers in ignored {
                #expect(try await realm.start("Login", headers: headers).json["authId"] != nil)
            }
        }
    }

    @Test("is not made with noSession, which the last request must say")
    func noSession() async throws {
        try await withRealm { realm in
            let values: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
            let parameters = [("noSession", "true")]
            let page = try await realm.start("Login", parameters).json
            let end = try await realm.next(page, values, parameters)
            #expect(end.text == #"{"successUrl":"/enduser/?realm=/alpha","realm":"/alpha"}"#)
            #expect(end.headers("set-cookie").isEmpty)
            #expect(realm.simulator.sessionCount == 0)
            let forgetful = try await realm.start("Login", parameters).json
            #expect(try await realm.next(forgetful, values).json["tokenId"] != nil)
        }
    }

    @Test("is upgraded to a new value; the old one ends")
    func upgrade() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            realm.time.advance(by: .seconds(60))
            let upgraded = try await realm.stepUp(session)
            #expect(upgraded != session)
            #expect(try await !realm.isAlive(session))
            let info = try await realm.sessions("getSessionInfo", upgraded).json
            #expect(info["properties"]?["AuthLevel"] == "3")
            #expect(info["username"] == "demo")
        }
    }

    @Test("keeps its old value after an upgrade when the setting says so")
    func keepsOld() async throws {
        try await withRealm {
            $0.keepsSessionAfterUpgrade = true
        } _: { realm in
            let session = try await realm.signIn()
            _ = try await realm.stepUp(session)
            #expect(try await realm.isAlive(session))
        }
    }

    @Test("is not upgraded by a wrong code")
    func wrongCode() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            for code: JSONValue in ["424241", "", 424_242, nil] {
                let page = try await realm.start("StepUp", [("ForceAuth", "true")], session: session).json
                #expect(try await realm.next(page, ["IDToken1": code], session: session).status == 401)
            }
            let info = try await realm.sessions("getSessionInfo", session).json
            #expect(info["properties"]?["AuthLevel"] == "0")
        }
    }

    @Test("of another user stays when a step-up ends as someone else")
    func otherUser() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn("demo")
            let parameters = [("ForceAuth", "true")]
            let page = try await realm.start("StepUpWithPassword", parameters, session: session).json
            let code = try await realm.next(
                page, ["IDToken1": "alice", "IDToken2": .string(Realm.password)], session: session)
            let end = try await realm.next(code.json, ["IDToken1": "424242"], session: session)
            let other = try #require(end.json["tokenId"]?.string)
            #expect(try await realm.sessions("validate", other).json["uid"] == "alice")
            #expect(try await realm.sessions("validate", session).json["uid"] == "demo")
        }
    }

    @Test("is asked for by a step-up that has none")
    func stepUpWithoutSession() async throws {
        try await withRealm { realm in
            let page = try await realm.start("StepUp").json
            let code = try await realm.next(page, ["IDToken1": "demo", "IDToken2": .string(Realm.password)]).json
            #expect(code["stage"] == "OneTimePassword")
            let end = try await realm.next(code, ["IDToken1": "424242"])
            let session = try #require(end.json["tokenId"]?.string)
            let info = try await realm.sessions("getSessionInfo", session).json
            #expect(info["properties"]?["AuthLevel"] == "3")
        }
    }

    @Test(
        "is asked for by policy advice",
        arguments: [
            ("TransactionConditionAdvice", "39dfdd15", 401),
            ("AuthenticateToServiceConditionAdvice", "/alpha:StepUp", 200),
            ("AuthLevelConditionAdvice", "3", 200), ("AuthenticateToServiceConditionAdvice", "/alpha:Nothing", 400),
            ("OtherAdvice", "x", 400), ("AuthLevelConditionAdvice", "high", 400),
        ])
    func advice(_ name: String, _ value: String, _ status: Int) async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let xml =
                "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair></Advices>"
            let query = Realm.query([
                ("authIndexType", "composite_advice"), ("authIndexValue", xml), ("ForceAuth", "true"),
            ])
            let reply = try await realm.post(
                "\(Realm.json)/authenticate?\(query)", json: [:], headers: realm.sessionHeader(session))
            #expect(reply.status == status)
            if status == 200 { #expect(reply.json["stage"] == "OneTimePassword") }
        }
    }

    @Test("ends when idle, and at the latest after its lifetime")
    func expiry() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            realm.time.advance(by: .seconds(1799))
            #expect(try await realm.isAlive(session))
            realm.time.advance(by: .seconds(1800))
            #expect(try await !realm.isAlive(session))
            let busy = try await realm.signIn()
            for _ in 0..<7 {
                realm.time.advance(by: .seconds(1000))
                #expect(try await realm.isAlive(busy))
            }
            realm.time.advance(by: .seconds(200))
            #expect(try await !realm.isAlive(busy))
        }
    }

    @Test("is not extended by a look with refresh=false")
    func look() async throws {
        try await withRealm { (realm) async throws in
            for (action, status) in [("getSessionInfo&refresh=false", 401), ("getSessionInfo", 200)] {
                let session = try await realm.signIn()
                realm.time.advance(by: .seconds(1200))
                #expect(try await realm.sessions(action, session, version: "resource=4.0").status == 200)
                realm.time.advance(by: .seconds(660))
                #expect(try await realm.sessions(action, session, version: "resource=4.0").status == status)
            }
        }
    }

    @Test("goes along with each step of a run that began with it, or that is counted")
    func missing() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let forced = [("ForceAuth", "true")]
            func run(_ carried: String?) async throws -> Int {
                let page = try await realm.start("StepUp", forced, session: session).json
                return try await realm.next(page, ["IDToken1": "000000"], session: carried).status
            }
            #expect(try await run(session) == 401)
            realm.expectWarnings()
            #expect(try await run(nil) == 401)
            #expect(try await run(try await realm.signIn("alice")) == 401)
            realm.expectWarnings(["session-missing": 2])
            // An upgrade has made another session of it, and an ended session is not missed.
            let page = try await realm.start("StepUp", forced, session: session).json
            let upgraded = try await realm.stepUp(session)
            #expect(try await realm.next(page, ["IDToken1": "000000"], session: upgraded).status == 401)
            #expect(try await realm.next(try await realm.start("Login").json).status == 401)
            realm.expectWarnings(["session-missing": 2])
        }
    }

    @Test("is logged out once and clears the cookies")
    func logout() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let reply = try await realm.sessions("logout", session)
            #expect(reply.text == #"{"result":"Successfully logged out"}"#)
            #expect(reply.headers("set-cookie").count == 2)
            #expect(reply.headers("set-cookie").allSatisfy { $0.contains("Expires=Thu, 01 Jan 1970") })
            let again = try await realm.sessions("logout", session)
            #expect(again.status == 401)
            #expect(again.json["message"] == "Access Denied")
        }
    }

    @Test("tells about itself and is prolonged")
    func info() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let info = try await realm.sessions("getSessionInfo", session).json
            #expect(info["universalId"] == "id=demo,ou=user,o=alpha,ou=services,ou=am-config")
            #expect(info["maxIdleExpirationTime"] == "2026-01-01T00:30:00Z")
            #expect(info["maxSessionExpirationTime"] == "2026-01-01T02:00:00Z")
            let refreshed = try await realm.sessions("refresh", session).json
            #expect(refreshed["uid"] == "demo")
            #expect(refreshed["maxidletime"] == 30)
            for action in ["getSessionInfo", "refresh"] {
                #expect(try await realm.sessions(action, "unknown").status == 401)
                #expect(try await realm.sessions(action, nil).status == 401)
            }
            #expect(
                try await realm.sessions("validate", nil, body: ["tokenId": .string(session)]).json["valid"] == true)
        }
    }

    /// The versions of the resource that serve an action.
    private static let served = [
        "getSessionInfo": ["4.0"], "validate": ["3.0"], "refresh": ["3.1"], "logout": ["3.1", "2.1"],
    ]

    @Test("is asked about in the versions that serve an action; any other is 404 without a body")
    func versions() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            for (action, served) in Self.served {
                for version in ["0", "1.1", "2.0", "2.1", "3.0", "3.1", "4.0", "9.9"] where !served.contains(version) {
                    let reply = try await realm.sessions(action, session, version: "resource=\(version), protocol=1.0")
                    #expect(reply.status == 404 && reply.body.isEmpty, "\(action) \(version)")
                }
                for version in served {
                    let own = try await realm.signIn()
                    let reply = try await realm.sessions(action, own, version: "protocol=1.0,resource=\(version)")
                    #expect(reply.status == 200, "\(action) \(version)")
                    #expect(reply.header("content-api-version") == "resource=\(version)")
                }
            }
            #expect(try await realm.isAlive(session))
        }
    }

    @Test("is asked about without an API version only with X-Requested-With, and by a known action")
    func withoutVersion() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            for action in Self.served.keys {
                for version in [nil, "protocol=1.0", "3.1", ""] {
                    #expect(try await realm.sessions(action, session, version: version).status == 400)
                }
            }
            #expect(try await realm.isAlive(session))
            for (action, versions) in Self.served {
                let reply = try await realm.post(
                    "\(Realm.json)/sessions?_action=\(action)", json: [:],
                    headers: realm.sessionHeader(try await realm.signIn()) + [("X-Requested-With", "ping-sdk")])
                #expect(reply.status == 200 && reply.header("content-api-version") == "resource=\(versions[0])")
            }
            #expect(try await realm.sessions("destroy", session).status == 400)
            #expect(try await realm.send(.get, "\(Realm.json)/sessions?_action=validate").status == 405)
            #expect(try await realm.isAlive(session))
        }
    }

    @Test("can be ended from outside")
    func administration() async throws {
        try await withRealm { realm in
            let (demo, alice) = (try await realm.signIn("demo"), try await realm.signIn("alice"))
            realm.simulator.endSessions(of: "demo")
            #expect(try await !realm.isAlive(demo))
            #expect(try await realm.isAlive(alice))
            realm.simulator.endSessions()
            #expect(realm.simulator.sessionCount == 0)
        }
    }

    @Test("has a cookie whose name the server publishes")
    func serverInfo() async throws {
        try await withRealm { realm in
            for path in ["\(Realm.json)/serverinfo/*", "\(Realm.json)/serverinfo/%2A", "/am/json/alpha/serverinfo/*"] {
                let reply = try await realm.send(.get, path)
                #expect(reply.json["cookieName"]?.string == realm.cookieName)
                #expect(reply.json["realm"] == "/alpha")
                #expect(reply.json["secureCookie"] == false)
            }
            #expect(try await realm.send(.get, "\(Realm.json)/serverinfo/version").status == 404)
        }
    }
}
