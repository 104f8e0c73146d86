import Basics
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("An authId of the simulator")
struct AuthIDTests {
    private let answers: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]

    @Test("is a readable JWT with HS256 and a life of five minutes")
    func readable() async throws {
        try await withRealm { realm in
            let authID = try #require(try await realm.start("Login").json["authId"]?.string)
            let parts = authID.split(separator: ".")
            #expect(parts.count == 3)
            #expect(
                Base64URL.decode(parts[0]).map { String(decoding: $0, as: UTF8.self) }
                    == #"{"typ":"JWT","alg":"HS256"}"#)
            let claims = try JSONValue(parsing: try #require(Base64URL.decode(parts[1])))
            #expect(claims["authIndexType"] == "service")
            #expect(claims["authIndexValue"] == "Login")
            #expect(claims["realm"] == "/alpha")
            #expect(claims["otk"]?.string?.isEmpty == false)
            #expect(claims["sessionId"]?.string?.isEmpty == false)
            let (issued, expires) = (try #require(claims["iat"]?.int), try #require(claims["exp"]?.int))
            #expect(expires - issued == 300)
        }
    }

    @Test("is accepted once")
    func once() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Polling").json
            let second = try await realm.next(page, answers)
            #expect(second.status == 200)
            let replay = try await realm.next(page, answers)
            #expect(replay.status == 401)
            #expect(replay.json["message"] == "Login failure")
            // A replay does not disturb the one who goes on.
            #expect(try await realm.next(second.json).status == 200)
        }
    }

    @Test("is accepted once when two requests race")
    func race() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await realm.next(page, answers).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 401, count: 7))
            #expect(realm.simulator.sessionCount == 1)
        }
    }

    @Test("is dead after a failure")
    func failure() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            #expect(try await realm.next(page, ["IDToken1": "demo", "IDToken2": "wrong"]).status == 401)
            #expect(try await realm.next(page, answers).status == 401)
        }
    }

    @Test("that has expired is told by its number")
    func expired() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let late = try await realm.start("Login").json
            realm.time.advance(by: .seconds(299))
            #expect(try await realm.next(page, answers).status == 200)
            realm.time.advance(by: .seconds(1))
            let reply = try await realm.next(late, answers)
            #expect(reply.status == 401)
            #expect(
                reply.text
                    == #"{"code":401,"reason":"Unauthorized","message":"Session has timed out","detail":{"errorCode":"110"}}"#
            )
        }
    }

    @Test("that was changed is refused")
    func changed() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let authID = try #require(page["authId"]?.string)
            let parts = authID.split(separator: ".").map { String($0) }
            let none = Base64URL.encode(Array(#"{"typ":"JWT","alg":"none"}"#.utf8))
            let forged = [
                "", "x", "a.b.c", "..", parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".",
                none + "." + parts[1] + ".", authID + "A", authID + ".", "." + authID,
                parts[0] + "." + parts[1] + "x." + parts[2], String(authID.reversed()),
            ]
            for text in forged {
                var step = try #require(page.object)
                step["authId"] = .string(text)
                #expect(try await realm.next(.object(step), answers).status == 401, "\(text.prefix(20))")
            }
            #expect(try await realm.next(page, answers).status == 200)
        }
    }

    @Test("of another simulator is refused")
    func foreign() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            try await withRealm { (other) async throws in
                #expect(try await other.next(page, answers).status == 401)
            }
        }
    }

    @Test("goes with the callbacks of its page only")
    func callbacks() async throws {
        try await withRealm { realm in
            let changes: [(inout [JSONValue]) -> Void] = [
                { $0.removeLast() }, { $0.removeAll() }, { $0.swapAt(0, 1) }, { $0.append($0[0]) }, { $0[0] = "x" },
                { $0[0] = ["type": "TextInputCallback", "input": [["name": "IDToken1", "value": "demo"]]] },
                { $0[0] = ["type": "NameCallback", "input": [["name": "IDToken2", "value": "demo"]]] },
                { $0[0] = ["type": "NameCallback", "input": []] }, { $0[0] = ["type": "NameCallback"] },
            ]
            for change in changes {
                var step = try #require(Realm.fill(try await realm.start("Login").json, answers).object)
                var callbacks = try #require(step["callbacks"]?.array)
                change(&callbacks)
                step["callbacks"] = .array(callbacks)
                #expect(try await realm.next(.object(step)).status == 400)
                #expect(try await realm.next(.object(step)).status == 401)
            }
            var step = try #require(try await realm.start("Login").json.object)
            step["callbacks"] = nil
            #expect(try await realm.next(.object(step)).status == 400)
        }
    }

    @Test("warns of members that came back changed or not at all, but for the values of inputs; their order is free")
    func echo() async throws {
        try await withRealm { realm in
            let changes: [(inout JSONObject) -> Void] = [
                { $0["stage"] = nil }, { $0["header"] = "Sign in!" }, { Self.change(&$0) { $0["_id"] = nil } },
                { Self.change(&$0) { $0["_id"] = "0" } }, { Self.change(&$0) { $0["output"] = [] } },
                { Self.change(&$0) { $0["output"] = nil } },
            ]
            for (index, change) in changes.enumerated() {
                var step = try #require(Realm.fill(try await realm.start("Login").json, answers).object)
                change(&step)
                #expect(try await realm.next(.object(step)).status == 200)
                realm.expectWarnings(["page-changed": index + 1])
            }
            let page = try #require(Realm.fill(try await realm.start("Login").json, answers).object)
            #expect(try await realm.next(.object(JSONObject(page.reversed()))).status == 200)
        }
    }

    /// Ping's SDK for JavaScript 4.9 adds the members of its fetch to the step.
    @Test("ignores members that it did not send")
    func more() async throws {
        try await withRealm { realm in
            let changes: [(inout JSONObject) -> Void] = [
                {
                    $0["status"] = 200
                    $0["ok"] = true
                }, { Self.change(&$0) { $0["more"] = true } },
                { Self.change(&$0) { $0["input"] = [["name": "IDToken1", "value": "demo", "more": 1]] } },
            ]
            for change in changes {
                var step = try #require(Realm.fill(try await realm.start("Login").json, answers).object)
                change(&step)
                #expect(try await realm.next(.object(step)).json["tokenId"] != nil, "\(step.text)")
                realm.expectWarnings()
            }
        }
    }

    /// Changes the first callback.
    private static func change(_ step: inout JSONObject, _ body: (inout JSONObject) -> Void) {
        var callbacks = step["callbacks"]?.array ?? []
        guard var first = callbacks.first?.object else { return }
        body(&first)
        callbacks[0] = .object(first)
        step["callbacks"] = .array(callbacks)
    }
}
