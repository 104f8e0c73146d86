import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A journey of the simulator")
struct LoginTests {
    @Test("asks name and password on one page with stage, header and description")
    func page() async throws {
        try await withRealm { realm in
            let reply = try await realm.start("Login")
            #expect(reply.status == 200)
            #expect(reply.header("content-type") == "application/json;charset=UTF-8")
            #expect(reply.header("content-api-version") == "resource=2.1")
            #expect(reply.headers("set-cookie") == ["amlbcookie=01; Path=/"])
            #expect(reply.json.object?.names == ["authId", "callbacks", "stage", "header", "description"])
            #expect(
                reply.json["callbacks"]?.text
                    == #"[{"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],"input":[{"name":"IDToken1","value":""}],"_id":0},"#
                    + #"{"type":"PasswordCallback","output":[{"name":"prompt","value":"Password"}],"input":[{"name":"IDToken2","value":""}],"_id":1}]"#
            )
        }
    }

    @Test("signs in with the right password and sets both cookies")
    func success() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let end = try await realm.next(page, ["IDToken1": "demo", "IDToken2": .string(Realm.password)])
            #expect(end.status == 200)
            #expect(end.json.object?.names == ["tokenId", "successUrl", "realm"])
            #expect(end.json["realm"] == "/alpha")
            let token = try #require(end.json["tokenId"]?.string)
            #expect(end.headers("set-cookie").first == "\(realm.cookieName)=\(token); Path=/; HttpOnly")
            #expect(try await realm.isAlive(token))
        }
    }

    @Test("without a name is the default one; root, short and parameter spellings of the realm are one")
    func spellings() async throws {
        try await withRealm { (realm) async throws in
            for path in ["realms/root/realms/alpha", "realms/alpha", "alpha", "root/alpha"] {
                #expect(try await realm.post("/am/json/\(path)/authenticate", json: [:]).status == 200, "\(path)")
            }
            #expect(try await realm.post("/am/json/authenticate?realm=/alpha", json: [:]).status == 200)
            #expect(try await realm.send(.post, "\(Realm.json)/authenticate").status == 200)
        }
    }

    @Test("refuses a wrong password, an unknown user and a missing answer alike")
    func wrong() async throws {
        try await withRealm { realm in
            let attempts: [[String: JSONValue]] = [
                ["IDToken1": "demo", "IDToken2": "wrong"], ["IDToken1": "nobody", "IDToken2": "x"], [:],
                ["IDToken1": 5, "IDToken2": nil], ["IDToken1": "demo"],
            ]
            for values in attempts {
                let reply = try await realm.next(try await realm.start("Login").json, values)
                #expect(reply.status == 401)
                #expect(
                    reply.text
                        == #"{"code":401,"reason":"Unauthorized","message":"Login failure","detail":{"failureUrl":""}}"#
                )
            }
            #expect(realm.simulator.sessionCount == 0)
        }
    }

    @Test("warns twice, then locks the user for a while, whatever the password")
    func lockout() async throws {
        try await withRealm { realm in
            func attempt(_ password: String) async throws -> String? {
                let page = try await realm.start("Login").json
                let reply = try await realm.next(page, ["IDToken1": "bob", "IDToken2": .string(password)])
                return reply.json["message"]?.string
            }
            var messages: [String?] = []
            for _ in 0..<6 { messages.append(try await attempt("wrong")) }
            #expect(
                messages == [
                    "Login failure", "Login failure", "Warning: You will be locked out after 2 more failure(s).",
                    "Warning: You will be locked out after 1 more failure(s).", "User Locked Out.", "User Locked Out.",
                ])
            #expect(try await attempt(Realm.password) == "User Locked Out.")
            _ = try await realm.signIn("alice")
            realm.time.advance(by: .seconds(300))
            #expect(try await attempt(Realm.password) == nil)
        }
    }

    @Test("forgets failures at a sign-in and at an unlock")
    func forgets() async throws {
        try await withRealm { realm in
            func fail() async throws {
                _ = try await realm.next(
                    try await realm.start("Login").json, ["IDToken1": "bob", "IDToken2": "wrong"])
            }
            for _ in 0..<4 { try await fail() }
            _ = try await realm.signIn("bob")
            for _ in 0..<5 { try await fail() }
            realm.simulator.unlock("bob")
            _ = try await realm.signIn("bob")
        }
    }

    @Test("with retries answers a wrong password with the page again")
    func retry() async throws {
        try await withRealm { realm in
            let page = try await realm.start("LoginRetry").json
            let again = try await realm.next(page, ["IDToken1": "demo", "IDToken2": "wrong"])
            #expect(again.status == 200)
            #expect(again.json["callbacks"]?[2]?["type"] == "TextOutputCallback")
            let end = try await realm.next(again.json, ["IDToken1": "demo", "IDToken2": .string(Realm.password)])
            #expect(end.json["tokenId"] != nil)
        }
    }

    @Test("that does not exist is a configuration error")
    func unknown() async throws {
        try await withRealm { realm in
            let replies = [
                try await realm.start("DoesNotExist"), try await realm.start("login"),
                try await realm.post("\(Realm.json)/authenticate?authIndexType=module&authIndexValue=Login", json: [:]),
                try await realm.post("\(Realm.json)/authenticate?authIndexValue=Login", json: [:]),
                try await realm.post("/am/json/realms/root/realms/beta/authenticate", json: [:]),
                try await realm.post("/am/json/realms/root/authenticate", json: [:]),
            ]
            for reply in replies {
                #expect(reply.status == 400)
                #expect(reply.json["message"] == "No Configuration found")
            }
        }
    }

    @Test("tells every suspended link that it has been used")
    func suspended() async throws {
        try await withRealm { realm in
            let reply = try await realm.post("\(Realm.json)/authenticate?suspendedId=abc", json: [:])
            #expect(reply.status == 401)
            #expect(reply.json["message"]?.string?.contains("SuspendedAuthSessionException") == true)
            #expect(reply.json["detail"] == nil)
        }
    }

    @Test("passes its own failure details on")
    func custom() async throws {
        try await withRealm { realm in
            let reply = try await realm.next(try await realm.start("CustomFailure").json)
            #expect(reply.status == 401)
            #expect(reply.json["detail"]?["errorCode"] == "CONTRACT-7")
            #expect(reply.json["detail"]?["contract"]?["since"]?.int == 2019)
        }
    }

    @Test("refuses requests that are no authenticate requests")
    func malformed() async throws {
        try await withRealm { (realm) async throws in
            let path = "\(Realm.json)/authenticate"
            #expect(try await realm.send(.get, path).status == 405)
            #expect(try await realm.post(path, json: []).status == 400)
            #expect(try await realm.post(path, json: ["authId": 5]).status == 400)
            let json = [("Content-Type", "application/json")]
            #expect(try await realm.send(.post, path, headers: json, body: Array("{".utf8)).status == 400)
            #expect(
                try await realm.send(.post, path, headers: [("Content-Type", "text/plain")], body: [0x7B, 0x7D]).status
                    == 415
            )
            #expect(try await realm.post(path + "?a=1&a=2", json: [:]).status == 400)
            #expect(
                try await realm.start("Login", headers: [("Accept-API-Version", "resource=9.0")]).status == 400)
            #expect(
                try await realm.start("Login", headers: [("Accept-API-Version", "protocol=1.0,resource=2.1")]).status
                    == 200)
        }
    }
}
