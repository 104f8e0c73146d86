import Basics
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import Testing

@Suite("A fault switch of the simulator")
struct FaultTests {
    private let info = "\(Realm.json)/serverinfo/*"

    @Test("answers 429, 503 and 5xx in the place of the endpoint")
    func statuses() async throws {
        try await withRealm { realm in
            let faults = realm.simulator.faults
            faults.add(.tooManyRequests(retryAfter: 7), count: 1)
            faults.add(.unavailable(retryAfter: nil), count: 1)
            faults.add(.serverError(status: 502), count: 1)
            let replies = [
                try await realm.send(.get, info), try await realm.send(.get, info), try await realm.send(.get, info),
            ]
            #expect(replies.map(\.status) == [429, 503, 502])
            #expect(replies[0].header("retry-after") == "7")
            #expect(replies[1].header("retry-after") == nil)
            #expect(replies[2].header("content-type")?.hasPrefix("text/html") == true)
            #expect(try await realm.send(.get, info).status == 200)
            #expect(faults.all.isEmpty)
        }
    }

    @Test("concerns the end of a path, at a slash")
    func paths() async throws {
        try await withRealm { (realm) async throws in
            realm.simulator.faults.add(.serverError(status: 500), path: "authenticate")
            #expect(try await realm.start("Login").status == 500)
            #expect(try await realm.send(.get, info).status == 200)
            realm.simulator.faults.clear()
            realm.simulator.faults.add(.serverError(status: 500), path: "thenticate")
            #expect(try await realm.start("Login").status == 200)
        }
    }

    @Test("drops a request before it is acted on, or its answer after")
    func dropped() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let values: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
            realm.simulator.faults.add(.drop, count: 1)
            await #expect(throws: TransportError.self) { try await realm.next(page, values) }
            #expect(realm.simulator.sessionCount == 0)
            realm.simulator.faults.add(.loseAnswer, path: "authenticate", count: 1)
            await #expect(throws: TransportError.self) { try await realm.next(page, values) }
            #expect(realm.simulator.sessionCount == 1)
            #expect(try await realm.next(page, values).status == 401)
        }
    }

    @Test("answers with something that is not JSON")
    func garbage() async throws {
        try await withRealm { realm in
            realm.simulator.faults.add(.garbage, count: 1)
            let reply = try await realm.start("Login")
            #expect(reply.status == 200)
            #expect(reply.json == nil)
        }
    }

    @Test("delays and lets the request go on")
    func latency() async throws {
        try await withRealm { (realm) async throws in
            realm.simulator.faults.add(.latency(.milliseconds(1)), count: 1)
            realm.simulator.faults.add(.serverError(status: 500), count: 1)
            #expect(try await realm.send(.get, info).status == 500)
            #expect(realm.simulator.faults.all.isEmpty)
        }
    }

    @Test("makes an outage of everything but the switches")
    func outage() async throws {
        try await withRealm { (realm) async throws in
            realm.simulator.faults.outage = true
            await #expect(throws: TransportError.self) { try await realm.send(.get, info) }
            #expect(try await realm.send(.delete, "/simulator/faults").status == 200)
            #expect(try await realm.send(.get, info).status == 200)
        }
    }

    @Test("moves the clock")
    func clock() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            realm.simulator.faults.clockOffset = .seconds(1800)
            #expect(try await !realm.isAlive(session))
        }
    }

    @Test("is set by curl as well")
    func control() async throws {
        try await withRealm { realm in
            func set(_ json: JSONValue) async throws -> Realm.Reply {
                try await realm.post("/simulator/faults", json: json)
            }
            let state = try await set(["effect": "unavailable", "path": "/access_token", "count": 2, "retryAfter": 5])
            #expect(
                state.text
                    == #"{"outage":false,"clockOffsetSeconds":0,"faults":[{"effect":"unavailable","retryAfter":5,"path":"/access_token","count":2}]}"#
            )
            let all: [(JSONValue, Fault.Effect)] = [
                (["effect": "latency", "milliseconds": 5], .latency(.milliseconds(5))),
                (["effect": "too-many-requests"], .tooManyRequests(retryAfter: nil)),
                (["effect": "server-error", "status": 502], .serverError(status: 502)),
                (["effect": "server-error"], .serverError(status: 500)), (["effect": "drop"], .drop),
                (["effect": "lose-answer"], .loseAnswer), (["effect": "garbage"], .garbage),
            ]
            for (json, effect) in all {
                realm.simulator.faults.clear()
                #expect(try await set(json).status == 200)
                #expect(realm.simulator.faults.all == [Fault(effect)])
            }
            _ = try await set(["outage": true, "clockOffsetSeconds": -60])
            #expect(realm.simulator.faults.outage)
            #expect(realm.simulator.faults.clockOffset == .seconds(-60))
            #expect(try await realm.send(.get, "/simulator/faults").json["outage"] == true)
        }
    }

    @Test("refuses orders it does not understand")
    func refusedOrders() async throws {
        try await withRealm { realm in
            let orders: [JSONValue] = [
                [], "x", ["effect": "explode"], ["effect": 5], ["effect": "latency"], ["outage": "yes"],
                ["effect": "latency", "milliseconds": -1], ["effect": "drop", "count": 0],
                ["effect": "drop", "path": 5],
                ["effect": "server-error", "status": 200], ["clockOffsetSeconds": "1h"], ["efect": "drop"],
                ["effect": "drop", "when": "now"], ["outage": true, "effect": "explode"], ["outage": true, "x": 1],
                ["effect": "drop", "count": "one"],
            ]
            for order in orders {
                #expect(try await realm.post("/simulator/faults", json: order).status == 400, "\(order.text)")
            }
            #expect(realm.simulator.faults.all.isEmpty)
            #expect(!realm.simulator.faults.outage)
            #expect(try await realm.send(.put, "/simulator/faults").status == 405)
            #expect(try await realm.send(.get, "/simulator/other").status == 404)
            let form = try await realm.post("/simulator/faults", form: [("effect", "drop")])
            #expect(form.status == 415)
        }
    }

    @Test("leaves counters that tell what came")
    func counters() async throws {
        try await withRealm {
            $0.keepsRequests = true
        } _: { realm in
            _ = try await realm.signIn()
            #expect(realm.simulator.received("/authenticate") == 2)
            #expect(realm.simulator.received("authenticate") == 2)
            #expect(realm.simulator.received("henticate") == 0)
            #expect(realm.simulator.receivedInAll == 2)
            #expect(realm.simulator.requests.map(\.method) == [.post, .post])
            let json = try await realm.send(.get, "/simulator/requests").json
            #expect(json["total"] == 2)
            #expect(json["paths"]?["\(Realm.json)/authenticate"] == 2)
            // The challenges of PingOne count as one path.
            let challenges = "\(PingOneCaller.environment)/davinci/user/credentials/challenge"
            for id in ["a", "b"] {
                _ = try await realm.post("\(challenges)/\(id)/status", json: [:], headers: PingOneCaller.sdk)
            }
            let polled = try await realm.send(.get, "/simulator/requests").json
            #expect(polled["paths"]?["\(challenges)/{id}/status"] == 2 && realm.simulator.received("/status") == 2)
            realm.simulator.forgetRequests()
            #expect(realm.simulator.receivedInAll == 0)
            #expect(realm.simulator.requests.isEmpty)
        }
    }

    @Test("is joined by a list of everything that must stay secret")
    func secrets() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Login").json
            let session = try await realm.signIn()
            let code = try await realm.code(session: session)
            let tokens = try await realm.exchange(code).json
            let secrets = Set(realm.simulator.issuedSecrets)
            let expected = [page["authId"], tokens["access_token"], tokens["refresh_token"], tokens["id_token"]]
            let wanted = Set(expected.compactMap { $0?.string } + [session, code])
            #expect(wanted.count == 6)
            #expect(wanted.isSubset(of: secrets))
        }
    }

    @Test("does not accept settings that contradict themselves")
    func settings() {
        let changes: [(String, (inout SimulatorSettings) -> Void)] = [
            ("realm", { $0.realm = "" }), ("realm", { $0.realm = "root" }), ("realm", { $0.realm = "a/b" }),
            ("realm", { $0.realm = "/alpha" }),
            ("cookieName", { $0.cookieName = "" }), ("cookieName", { $0.cookieName = "a b" }),
            ("users", { $0.users += $0.users }), ("clients", { $0.clients += $0.clients }),
            ("clients", { $0.clients[0].secret = nil }), ("clients", { $0.clients[0].algorithm = .PS256 }),
            ("cookieName", { $0.cookieName = "a;b" }), ("lockoutThreshold", { $0.lockoutThreshold = 0 }),
            ("pollsNeeded", { $0.pollsNeeded = 0 }),
        ]
        for (name, change) in changes {
            var settings = SimulatorSettings()
            change(&settings)
            #expect(throws: SimulatorError.setting(name)) { try Simulator(settings) }
        }
    }
}
