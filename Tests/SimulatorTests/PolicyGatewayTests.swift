import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The gateway of the simulator")
struct PolicyGatewayTests {
    private func call(_ realm: Realm, _ path: String, _ token: JSONValue?, body: String = "") async throws
        -> Realm.Reply
    {
        try await realm.send(
            .post, "/gateway/" + path, headers: [("Authorization", "Bearer \(token?.string ?? "")")],
            body: Array(body.utf8))
    }

    /// What an advice asks for, from the challenge.
    private func advice(_ reply: Realm.Reply) throws -> JSONObject {
        let field = try #require(reply.header("www-authenticate"))
        #expect(reply.status == 401 && field.hasPrefix("SSOADVICE "))
        let encoded = try #require(field.split(separator: "advices=\"").last?.prefix { $0 != "\"" })
        let advices = try JSONValue(parsing: try #require(Base64.decode(encoded)))
        return try #require(advices.object)
    }

    /// The page that an advice leads to.
    private func begin(
        _ realm: Realm, _ id: String, _ session: String, name: String = "TransactionConditionAdvice",
        forces: Bool = true
    ) async throws -> Realm.Reply {
        let xml =
            "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(id)</Value></AttributeValuePair></Advices>"
        let query = Realm.query(
            [("authIndexType", "composite_advice"), ("authIndexValue", xml)] + (forces ? [("ForceAuth", "true")] : []))
        return try await realm.post(
            "\(Realm.json)/authenticate?\(query)", json: [:], headers: realm.sessionHeader(session))
    }

    /// Goes through the journey that an advice leads to, with a code.
    private func follow(_ realm: Realm, _ id: String, _ session: String, code: String = "424242") async throws
        -> Realm.Reply
    {
        let page = try await begin(realm, id, session)
        return try await realm.next(page.json, ["IDToken1": .string(code)], session: session)
    }

    @Test("advises a level, a journey, and a level in a redirect, and passes a strong token")
    func levels() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let token = try await realm.exchange(realm.code(session: session)).json["access_token"]
            #expect(
                try advice(try await call(realm, "level", token)).text == #"{"AuthLevelConditionAdvice":["/alpha:3"]}"#)
            #expect(
                try advice(try await call(realm, "journey", token)).text
                    == #"{"AuthenticateToServiceConditionAdvice":["/alpha:StepUp"]}"#)
            let redirect = try await call(realm, "level/redirect", token)
            #expect(redirect.status == 302 && redirect.location?.single("authIndexType") == "composite_advice")
            #expect(redirect.location?.single("authIndexValue")?.contains("<Value>/alpha:3</Value>") == true)
            let strong = try await realm.exchange(realm.code(session: realm.stepUp(session))).json["access_token"]
            for path in ["level", "journey", "level/redirect"] {
                #expect(try await call(realm, path, strong).status == 200)
            }
            #expect(
                try await call(realm, "level", "nothing").header("www-authenticate")?.contains("invalid_token") == true)
            #expect(try await call(realm, "other", strong).status == 404)
        }
    }

    @Test("lets a call pass that its user said yes to, once, and no other")
    func transaction() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let token = try await realm.exchange(realm.code(session: session)).json["access_token"]
            func asked() async throws -> String {
                let advice = try advice(try await call(realm, "transaction", token, body: "a"))
                return try #require(advice["TransactionConditionAdvice"]?[0]?.string)
            }
            let id = try await asked()
            #expect(try await call(realm, "transaction?_txid=\(id)", token, body: "a").status == 401)
            // The session stays as it is.
            #expect(try await follow(realm, id, session).json["tokenId"]?.string == session)
            #expect(try await call(realm, "transaction?_txid=\(id)", token, body: "b").status == 401)
            let other = try await realm.tokens("alice")["access_token"]
            #expect(try await call(realm, "transaction?_txid=\(id)", other, body: "a").status == 401)
            #expect(try await call(realm, "transaction?_txid=\(id)", token, body: "a").status == 200)
            #expect(try await call(realm, "transaction?_txid=\(id)", token, body: "a").status == 401)
            // A wrong code ends in the same way, and so does somebody else's right one.
            let wrong = try await asked()
            #expect(try await follow(realm, wrong, session, code: "000000").json["tokenId"]?.string == session)
            #expect(try await follow(realm, wrong, try await realm.signIn("alice")).status == 200)
            #expect(try await call(realm, "transaction?_txid=\(wrong)", token, body: "a").status == 401)
        }
    }

    @Test("knows a transaction for three minutes, and none that never was")
    func over() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let token = try await realm.exchange(realm.code(session: session)).json["access_token"]
            let advice = try advice(try await call(realm, "transaction", token, body: "a"))
            let id = try #require(advice["TransactionConditionAdvice"]?[0]?.string)
            #expect(try await follow(realm, id, session).status == 200)
            realm.time.advance(by: .seconds(180))
            for over in [id, "tx-unknown"] {
                let refusal = try await begin(realm, over, session)
                #expect(refusal.status == 401 && refusal.json["detail"]?["errorCode"] == "128")
            }
            #expect(try await call(realm, "transaction?_txid=\(id)", token, body: "a").status == 401)
        }
    }

    /// The page of a backchannel transaction.
    private func run(
        _ realm: Realm, _ id: String, _ session: String, forces: Bool = true
    ) async throws -> Realm.Reply {
        let query = Realm.query(
            [("authIndexType", "transaction"), ("authIndexValue", id)] + (forces ? [("ForceAuth", "true")] : []))
        return try await realm.post(
            "\(Realm.json)/authenticate?\(query)", json: [:], headers: realm.sessionHeader(session))
    }

    @Test("runs a transaction for the user that it was made for, once, over whatever session there is")
    func backchannel() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let code: [String: JSONValue] = ["IDToken1": "424242"]
            for (user, isSame) in [("demo", true), ("alice", false)] {
                realm.simulator.noteTransaction("tx-" + user, of: user)
                let pages = [
                    try await run(realm, "tx-" + user, session), try await run(realm, "tx-" + user, session),
                ]
                let end = try await realm.next(pages[0].json, code, session: session)
                #expect(end.status == 200 && (end.json["tokenId"]?.string == session) == isSame)
                let again = try await realm.next(pages[1].json, code, session: session)
                #expect(again.status == 401 && again.json["detail"]?["errorCode"] == "128")
                #expect(try await run(realm, "tx-" + user, session).status == 401)
            }
            // A wrong code signs nobody in.
            realm.simulator.noteTransaction("tx-wrong", of: "alice")
            let page = try await run(realm, "tx-wrong", session)
            #expect(try await realm.next(page.json, ["IDToken1": "000000"], session: session).status == 401)
            #expect(try await run(realm, "tx-unknown", session).status == 401)
            #expect(try await realm.start("Transaction").status == 401)
        }
    }

    @Test("asks about a transaction without ForceAuth too, although a session lives")
    func unforced() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            realm.simulator.noteTransaction("tx-demo", of: "demo")
            for reply in [
                try await begin(realm, "tx-demo", session, forces: false),
                try await run(realm, "tx-demo", session, forces: false),
            ] {
                #expect(reply.json["stage"] == "OneTimePassword" && reply.json["tokenId"] == nil)
            }
            #expect(try await run(realm, "tx-unknown", session, forces: false).status == 401)
            // A level is a matter of the session, which suffices without ForceAuth.
            let level = try await begin(realm, "3", session, name: "AuthLevelConditionAdvice", forces: false)
            #expect(level.json["tokenId"]?.string == session)
        }
    }

    @Test("has nobody who says yes without a session, or to nothing")
    func nobody() async throws {
        try await withRealm { (realm) async throws in
            let session = try await realm.signIn()
            #expect(try await realm.start("Advice").status == 401)
            #expect(try await realm.start("Advice", [("ForceAuth", "true")], session: session).status == 401)
        }
    }
}
