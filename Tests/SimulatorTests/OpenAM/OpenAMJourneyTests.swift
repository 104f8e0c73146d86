import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A journey of the simulator as OpenAM")
struct OpenAMJourneyTests {
    @Test("shows pages without _id, with template, a numbered stage and lines of text")
    func pages() async throws {
        try await withOpenAM { realm in
            let reply = try await realm.start("Login")
            #expect(reply.json.object?.names == ["authId", "template", "stage", "header", "infoText", "callbacks"])
            #expect(reply.json["stage"] == "DataStore1")
            #expect(reply.json["header"] == "Sign in to OpenAM")
            #expect(reply.json["infoText"] == ["", ""])
            #expect(
                reply.json["callbacks"]?[0]
                    == [
                        "type": "NameCallback", "output": [["name": "prompt", "value": "User Name:"]],
                        "input": [["name": "IDToken1", "value": ""]],
                    ])
            #expect(reply.headers("set-cookie").contains { $0.hasPrefix("AMAuthCookie=AQIC5") })
            let kitchen = try await realm.start("Kitchen").json["callbacks"]?.array ?? []
            #expect(kitchen.allSatisfy { $0["_id"] == nil })
            let hidden = try #require(kitchen.first { $0["type"] == "HiddenValueCallback" })
            #expect(hidden["output"]?.array?.compactMap { $0["name"]?.string } == ["value"])
            #expect(hidden["input"]?[0]?["value"] == "correlationId")
        }
    }

    @Test("ends in the session that its authId named, in body and cookie")
    func success() async throws {
        try await withOpenAM { realm in
            let page = try await realm.start("Login")
            let claims = try Realm.parts(page.json["authId"]).claims
            #expect(claims["authIndexValue"] == "Login")
            #expect(claims["exp"] == nil)
            #expect(claims["realm"] == "o=alpha,ou=services,dc=openam,dc=example,dc=test")
            let end = try await realm.next(page.json, Realm.login("demo"))
            #expect(end.json["tokenId"] == claims["sessionId"])
            #expect(end.json["successUrl"] == "/openam/console")
            let session = try #require(end.json["tokenId"]?.string)
            let cookies = end.headers("set-cookie")
            #expect(cookies.contains("\(realm.cookieName)=\(session); Path=/"))
            #expect(cookies.contains("AMAuthCookie=LOGOUT; Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/"))
        }
    }

    @Test("sets cookies for the domain of its published name")
    func domain() async throws {
        try await withOpenAM {
            $0.publicURL = "http://openam.example.test:18080"
        } _: { realm in
            let thread = try await realm.simulatorReply(realm.simulator.port)
            #expect(thread.headers("set-cookie").contains("amlbcookie=01; Domain=openam.example.test; Path=/"))
        }
    }

    @Test("makes no session with noSession, wherever it is said")
    func noSession() async throws {
        try await withOpenAM { realm in
            let parameter = [("noSession", "true")]
            for (start, next) in [(parameter, []), ([], parameter), (parameter, parameter)] {
                let end = try await realm.run(start: start, next: next)
                #expect(
                    end.text
                        == #"{"message":"Authentication Successful","successUrl":"/openam/console","realm":"/alpha"}"#)
                #expect(end.headers("set-cookie").allSatisfy { !$0.hasPrefix(realm.cookieName) })
            }
            #expect(realm.simulator.sessionCount == 0)
        }
    }

    @Test("answers 408 to an authId that is used or expired, and clears the cookies")
    func expired() async throws {
        try await withOpenAM { realm in
            let used = try await realm.start("Login").json
            _ = try await realm.next(used, Realm.login("demo"))
            let failed = try await realm.start("Login").json
            _ = try await realm.next(failed, Realm.login("demo", "wrong"))
            let late = try await realm.start("Login").json
            realm.time.advance(by: .seconds(310))
            for page in [used, failed, late] {
                let reply = try await realm.next(page, Realm.login("demo"))
                #expect(reply.status == 408)
                #expect(
                    reply.text == #"{"code":408,"reason":"Request Time-out","message":"Session has timed out"}"#)
                let gone = "Expires=Thu, 01 Jan 1970 00:00:10 GMT; Path=/"
                #expect(
                    reply.headers("set-cookie") == ["\(realm.cookieName)=; \(gone)", "amlbcookie=LOGOUT; \(gone)"])
            }
        }
    }

    @Test("has one authId for all pages, and measures an answer against the page shown now")
    func earlierPage() async throws {
        try await withOpenAM { realm in
            let first = try await realm.start("StepUp").json
            let second = try await realm.next(first, Realm.login("demo")).json
            let repeated = try await realm.next(first, Realm.login("demo"))
            #expect(repeated.status == 400)
            #expect(repeated.json["message"] == "Required callback not found in JSON response")
            #expect(second["authId"] == first["authId"])
            let end = try await realm.next(second, ["IDToken1": "424242"])
            #expect(end.json["tokenId"] != nil)
        }
    }

    @Test("fails without details, in its own words")
    func failures() async throws {
        try await withOpenAM { realm in
            func text(_ status: Int, _ reason: String, _ message: String) -> String {
                #"{"code":\#(status),"reason":"\#(reason)","message":"\#(message)"}"#
            }
            let failed = text(401, "Unauthorized", "Authentication Failed")
            for (user, password) in [("alice", "wrong"), ("nobody", Realm.password), ("", ""), ("carol", "wrong")] {
                let reply = try await realm.next(
                    try await realm.start("Login").json, Realm.login(user, password))
                #expect(reply.status == 401)
                #expect(reply.text == failed)
            }
            #expect(
                try await realm.run("Login", "carol").text == text(401, "Unauthorized", "User not Active"))
            let custom = try await realm.run("CustomFailure")
            #expect(custom.text == text(401, "Unauthorized", "Your contract has ended."))
            #expect(
                try await realm.start("NoSuch").text == text(400, "Bad Request", "No Configuration found"))
            let realmless = try await realm.post("/am/json/realms/root/realms/nosuch/authenticate", json: [:])
            #expect(realmless.text == text(404, "Not Found", "Realm &quot;/nosuch&quot; not found"))
            var page = try #require(try await realm.start("Login").json.object)
            let authID = try #require(page["authId"]?.string)
            page["authId"] = "not a token"
            #expect(
                try await realm.next(.object(page)).json["message"]?.string?.hasPrefix("Failed to parse JWT") == true)
            page["authId"] = .string(authID.dropLast(4) + "AAAA")
            #expect(
                try await realm.next(.object(page)).text == text(400, "Bad Request", "AuthId JWT Signature not valid"))
            page["authId"] = .string(authID)
            page["callbacks"] = nil
            #expect(try await realm.post("\(Realm.json)/authenticate", json: .object(page)).text == failed)
        }
    }

    @Test("warns before it locks, and says that it did, whatever the password")
    func lockout() async throws {
        try await withOpenAM {
            $0.lockoutThreshold = 3
        } _: { realm in
            var messages: [String?] = []
            for password in ["wrong", "wrong", "wrong", "wrong", Realm.password] {
                let reply = try await realm.next(
                    try await realm.start("Login").json, Realm.login("bob", password))
                messages.append(reply.json["message"]?.string)
                #expect(reply.json["detail"] == nil)
            }
            let warning = "Authentication Failed Warning: You will be locked out after"
            #expect(
                messages == [
                    "\(warning) 2 more failure(s).", "\(warning) 1 more failure(s).", "Your account has been locked.",
                    "Your account has been locked.", "Your account has been locked.",
                ])
        }
    }

    @Test("refuses more sessions than a user may have")
    func sessionLimit() async throws {
        try await withOpenAM {
            $0.sessionsPerUser = 1
        } _: { realm in
            _ = try await realm.signIn()
            let second = try await realm.run()
            #expect(second.status == 401)
            #expect(second.json["message"] == "You have reached your session limit.")
            #expect(try await realm.run("Login", "alice").status == 200)
        }
    }

    @Test("finds a user under any spelling and calls them as they typed it")
    func spelling() async throws {
        try await withOpenAM { realm in
            let session = try #require(try await realm.run("Login", "DEMO").json["tokenId"]?.string)
            let tokens = try await realm.openAMTokens(session: session)
            #expect(try Realm.parts(tokens["id_token"]).claims["sub"] == "DEMO")
        }
    }

    @Test("finds a user whose name is configured with capitals, and has no two names that differ in case only")
    func capitals() async throws {
        func user(_ name: String) -> SimulatedUser {
            SimulatedUser(
                name: name, password: Realm.password, givenName: "Dora", familyName: "Dale", email: "dora@example.com")
        }
        try await withOpenAM {
            $0.users.append(user("Dora"))
        } _: { realm async throws in
            for name in ["Dora", "dora", "DORA"] {
                #expect(try await realm.run("Login", name).json["tokenId"] != nil, "\(name)")
            }
        }
        var settings = SimulatorSettings(.openam)
        settings.users.append(user("DEMO"))
        #expect(throws: SimulatorError.setting("users")) { try Simulator(settings) }
    }

    @Test("refuses requests that are no authenticate requests")
    func malformed() async throws {
        try await withOpenAM { realm in
            let path = "\(Realm.json)/authenticate"
            #expect(try await realm.send(.get, path).status == 405)
            #expect(try await realm.post(path, form: [("a", "b")]).status == 415)
            let json = [("Content-Type", "application/json")]
            #expect(try await realm.send(.post, path, headers: json, body: Array("{".utf8)).status == 400)
            #expect(try await realm.post(path, json: []).json["authId"] != nil)
            let version = try await realm.start("Login", headers: [("Accept-API-Version", "resource=3.0")])
            #expect(version.status == 404)
            #expect(version.body.isEmpty)
            for journey in ["Registration", "Strange"] { #expect(try await realm.start(journey).status == 400) }
        }
    }
}

extension Realm {
    /// A start at the listener, whatever address is published.
    fileprivate func simulatorReply(_ port: UInt16) async throws -> Reply {
        try await send(
            .post, "\(Self.json)/authenticate", headers: [("Content-Type", "application/json")],
            body: Array("{}".utf8), base: "http://127.0.0.1:\(port)")
    }
}
