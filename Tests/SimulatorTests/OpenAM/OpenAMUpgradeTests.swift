import IdentitySimulator
import JSON
import Testing

@Suite("A start with a session at the simulator as OpenAM")
struct OpenAMUpgradeTests {
    /// What becomes of the session that a start brought.
    private enum Outcome {
        /// No session: "Session Upgrade fails …".
        case refused
        /// The same value, which lives on.
        case same
        /// A new value; the old one has ended.
        case replaced
        /// A new value beside the old one.
        case added
    }

    /// One way to go from a session of `Login` to `StepUp`.
    private struct Upgrade {
        let name: String
        /// Where the session stands: headers, cookie, parameter of the start, parameter of the continues.
        var header = false
        var cookie = false
        var startParameter = false
        var nextParameter = false
        var startForces = false
        var nextForces = false
        let outcome: Outcome
    }

    private static let ways = [
        Upgrade(name: "nothing, ForceAuth at the start", startForces: true, outcome: .refused),
        Upgrade(name: "nothing, ForceAuth on all", startForces: true, nextForces: true, outcome: .refused),
        Upgrade(name: "nothing", outcome: .added),
        Upgrade(name: "header", header: true, outcome: .added),
        Upgrade(name: "header, ForceAuth at the start", header: true, startForces: true, outcome: .refused),
        Upgrade(name: "header, ForceAuth on all", header: true, startForces: true, nextForces: true, outcome: .refused),
        Upgrade(name: "cookie", cookie: true, outcome: .added),
        Upgrade(name: "cookie, ForceAuth on all", cookie: true, startForces: true, nextForces: true, outcome: .refused),
        Upgrade(
            name: "header and cookie, ForceAuth on all", header: true, cookie: true, startForces: true,
            nextForces: true, outcome: .refused),
        Upgrade(name: "ForceAuth after the start only", nextForces: true, outcome: .added),
        Upgrade(name: "parameter", startParameter: true, outcome: .replaced),
        Upgrade(name: "parameter on all", startParameter: true, nextParameter: true, outcome: .replaced),
        Upgrade(name: "parameter, ForceAuth", startParameter: true, startForces: true, outcome: .same),
        Upgrade(
            name: "parameter, ForceAuth on all", startParameter: true, startForces: true, nextForces: true,
            outcome: .same),
        Upgrade(
            name: "parameter, header and cookie, ForceAuth", header: true, cookie: true, startParameter: true,
            startForces: true, outcome: .same),
        Upgrade(name: "parameter after the start only", nextParameter: true, nextForces: true, outcome: .added),
    ]

    @Test("upgrades it by the parameter of the start alone, and with ForceAuth fails without it")
    func ways() async throws {
        try await withOpenAM { realm in
            for way in Self.ways {
                let old = try await realm.signIn()
                let upgrade = ("sessionUpgradeSSOTokenId", old)
                let force = ("ForceAuth", "true")
                let end = try await realm.run(
                    "StepUp", start: (way.startParameter ? [upgrade] : []) + (way.startForces ? [force] : []),
                    next: (way.nextParameter ? [upgrade] : []) + (way.nextForces ? [force] : []),
                    headers: (way.header ? [(realm.cookieName, old)] : []) + (way.cookie ? [realm.cookie(old)] : []))
                let value = end.json["tokenId"]?.string
                switch way.outcome {
                case .refused:
                    #expect(end.status == 400, "\(way.name)")
                    #expect(end.json["message"]?.string == Self.failure, "\(way.name)")
                case .same: #expect(value == old, "\(way.name)")
                case .replaced, .added: #expect(value != nil && value != old, "\(way.name)")
                }
                #expect(try await realm.lives(old) == (way.outcome != .replaced), "\(way.name)")
                if let value { #expect(try await realm.lives(value), "\(way.name)") }
            }
        }
    }

    private static let failure = "Session Upgrade fails since user is different than original authenticated user"

    @Test("shows the page again to who brings a session in header or cookie")
    func ignored() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            for headers in [
                [(realm.cookieName, session)], [realm.cookie(session)],
                [(realm.cookieName, session), realm.cookie(session)], [(realm.cookieName, "dead")],
            ] {
                #expect(try await realm.start("Login", headers: headers).json["authId"] != nil)
            }
            let second = try await realm.run(headers: [(realm.cookieName, session)])
            #expect(second.json["tokenId"]?.string != session)
            #expect(try await realm.lives(session))
        }
    }

    @Test("gives a session back that went through the journey, unless ForceAuth is asked for")
    func satisfied() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let upgrade = ("sessionUpgradeSSOTokenId", session)
            let reply = try await realm.start("Login", [upgrade])
            #expect(
                reply.text
                    == #"{"tokenId":"\#(session)","successUrl":"/openam/console","realm":"/alpha"}"#)
            #expect(reply.headers("set-cookie").allSatisfy { !$0.hasPrefix(realm.cookieName) })
            #expect(try await realm.start("Login", [upgrade, ("ForceAuth", "true")]).json["authId"] != nil)
            #expect(try await realm.start("StepUp", [upgrade]).json["authId"] != nil)
        }
    }

    @Test("refuses another user, a wrong password and a dead session, and leaves the old session alive")
    func refusals() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let upgrade = [("sessionUpgradeSSOTokenId", session)]
            for forces in [[], [("ForceAuth", "true")]] {
                let other = try await realm.run("StepUpWithPassword", "alice", start: upgrade + forces)
                #expect(other.status == 400)
                #expect(other.json["message"]?.string == Self.failure)
            }
            let wrong = try await realm.run("StepUpWithPassword", "nobody", start: upgrade)
            #expect(wrong.status == 401)
            #expect(wrong.json["message"] == "Authentication Failed")
            #expect(try await realm.lives(session))
            let dead = try await realm.start("StepUp", [("sessionUpgradeSSOTokenId", session + "x")])
            #expect(dead.status == 400)
            #expect(dead.json["message"]?.string == "Invalid session ID.\(session)x")
        }
    }

    @Test("knows policy advice with and without the realm, levels, and no transactions")
    func advice() async throws {
        func advice(_ name: String, _ value: String) -> String {
            "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair>"
                + "</Advices>"
        }
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            for (name, value) in [
                ("AuthLevelConditionAdvice", "10"), ("AuthLevelConditionAdvice", "/:10"),
                ("AuthenticateToServiceConditionAdvice", "/alpha:StepUp"),
                ("AuthenticateToServiceConditionAdvice", "StepUp"), ("AuthSchemeConditionAdvice", "/:DataStore10"),
            ] {
                let query = Realm.query([
                    ("authIndexType", "composite_advice"), ("authIndexValue", advice(name, value)),
                    ("ForceAuth", "true"), ("sessionUpgradeSSOTokenId", session),
                ])
                let page = try await realm.post("\(Realm.json)/authenticate?\(query)", json: [:])
                let end = try await realm.next(page.json, ["IDToken1": "424242"])
                #expect(end.json["tokenId"]?.string == session, "\(name) \(value)")
            }
            let transaction = Realm.query([
                ("authIndexType", "composite_advice"), ("authIndexValue", advice("TransactionConditionAdvice", "x")),
            ])
            #expect(try await realm.post("\(Realm.json)/authenticate?\(transaction)", json: [:]).status == 400)
            let level = Realm.query([("authIndexType", "level"), ("authIndexValue", "10")])
            #expect(try await realm.post("\(Realm.json)/authenticate?\(level)", json: [:]).json["authId"] != nil)
        }
    }
}
