import Basics
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The journeys that clients try their callbacks on")
struct CallbackJourneyTests {
    private func types(_ page: JSONValue) -> [String] {
        page["callbacks"]?.array?.compactMap { $0["type"]?.string } ?? []
    }

    @Test("offer small callbacks and see the answers")
    func kitchen() async throws {
        try await withRealm { realm in
            let page = try await realm.start("Kitchen").json
            #expect(
                types(page) == [
                    "TextOutputCallback", "TextOutputCallback", "ChoiceCallback", "TextInputCallback",
                    "HiddenValueCallback", "ConfirmationCallback",
                ])
            // Callbacks without input take a position too.
            #expect(page["callbacks"]?[2]?["input"]?[0]?["name"] == "IDToken3")
            #expect(page["callbacks"]?[1]?["output"]?[1]?["value"] == "4")
            let second = try await realm.next(
                page, ["IDToken3": 2, "IDToken4": "Zoë", "IDToken5": "c-1", "IDToken6": 0])
            #expect(second.json["header"] == "Hello Zoë")
            #expect(second.json["description"] == "Color 2, correlation c-1")
            let end = try await realm.next(
                second.json, ["IDToken1": "alice", "IDToken2": .string(Realm.password)])
            #expect(end.json["tokenId"] != nil)
        }
    }

    @Test("refuse a cancel, an unanswered confirmation and a choice that is none")
    func kitchenRefusals() async throws {
        try await withRealm { realm in
            let good: [String: JSONValue] = ["IDToken3": 0, "IDToken4": "", "IDToken5": "x", "IDToken6": 0]
            let changes: [[String: JSONValue]] = [
                ["IDToken6": 1], ["IDToken6": 100], ["IDToken3": 3], ["IDToken3": -1], ["IDToken3": ""],
                ["IDToken3": "red"], ["IDToken4": 5], ["IDToken5": nil],
            ]
            for change in changes {
                let page = try await realm.start("Kitchen").json
                #expect(try await realm.next(page, good.merging(change) { $1 }).status == 401, "\(change)")
            }
            let page = try await realm.start("Kitchen").json
            #expect(try await realm.next(page, good.merging(["IDToken3": "1"]) { $1 }).status == 200)
        }
    }

    @Test("check policies and tell with status 200")
    func registration() async throws {
        try await withRealm { realm in
            func failed(_ page: JSONValue, _ position: Int) throws -> [String] {
                let output = try #require(page["callbacks"]?[position]?["output"]?.array)
                let failed = output.first { $0["name"] == "failedPolicies" }?["value"]?.array ?? []
                return try failed.map { failure in
                    guard let text = failure.string else { return failure["policyRequirement"]?.string ?? "" }
                    return text.hasPrefix("{") ? try JSONValue(parsing: text)["policyRequirement"]?.string ?? "" : text
                }
            }
            var page = try await realm.start("Registration").json
            #expect(
                types(page) == [
                    "ValidatedCreateUsernameCallback", "ValidatedCreatePasswordCallback",
                    "StringAttributeInputCallback", "NumberAttributeInputCallback", "BooleanAttributeInputCallback",
                    "KbaCreateCallback", "KbaCreateCallback", "TermsAndConditionsCallback",
                ])
            #expect(page["callbacks"]?[1]?["input"]?[1]?["name"] == "IDToken2validateOnly")
            let attempts: [(String, String, [String], [String])] = [
                ("", "", ["REQUIRED"], ["LENGTH_BASED", "AT_LEAST_X_NUMBERS"]),
                ("al", "longenough1", ["MIN_LENGTH"], []), ("demo", "longenough1", ["UNIQUE"], []),
                ("new user", "longenough1", ["VALID_USERNAME"], []),
                ("carol", "longenough", [], ["AT_LEAST_X_NUMBERS"]),
            ]
            for (name, password, nameFailures, passwordFailures) in attempts {
                let reply = try await realm.next(page, ["IDToken1": .string(name), "IDToken2": .string(password)])
                #expect(reply.status == 200)
                page = reply.json
                #expect(try failed(page, 0) == nameFailures)
                #expect(try failed(page, 1) == passwordFailures)
            }
            for (mail, failures) in [("", ["REQUIRED"]), ("carol", ["VALID_EMAIL_ADDRESS_FORMAT"])] {
                page = try await realm.next(page, ["IDToken3": .string(mail), "IDToken4": 17]).json
                #expect(try failed(page, 2) == failures && failed(page, 3) == ["MINIMUM_NUMBER_VALUE"])
            }
            let values: [String: JSONValue] = [
                "IDToken1": "carol", "IDToken2": "longenough1", "IDToken3": "carol@example.com", "IDToken4": 18,
                "IDToken6question": "Who was your first employer?", "IDToken6answer": "a", "IDToken7question": "Mine?",
                "IDToken7answer": "b", "IDToken8": true,
            ]
            page = try await realm.next(page, values.merging(["IDToken1validateOnly": true]) { $1 }).json
            #expect(page["authId"] != nil)
            #expect(try failed(page, 0).isEmpty)
            #expect(try await realm.next(page, values).json["tokenId"] != nil)
            #expect(try await !realm.signIn("carol", password: "longenough1").isEmpty)
        }
    }

    @Test("want an unknown callback back as it was, number for number")
    func strange() async throws {
        try await withRealm { realm in
            let values: [String: JSONValue] = ["IDToken1": "demo", "IDToken3": .string(Realm.password)]
            let page = try await realm.start("Strange").json
            #expect(page["callbacks"]?[1]?.text.contains(#""revision":2.50"#) == true)
            #expect(try await realm.next(page, values).json["tokenId"] != nil)
            for (from, to) in [("2.50", "2.5"), ("1e2", "100"), ("-0", "0"), (#""draft":null"#, #""draft":0"#)] {
                var page = try #require(Realm.fill(try await realm.start("Strange").json, values).object)
                let callbacks = try #require(page["callbacks"]).text
                let changed = callbacks.replacing(from, with: to)
                #expect(changed != callbacks)
                page["callbacks"] = try JSONValue(parsing: changed)
                #expect(try await realm.next(.object(page)).status == 401, "\(from)")
            }
            realm.expectWarnings(["page-changed": 4])
        }
    }

    @Test("wait for polls in time")
    func polling() async throws {
        try await withRealm { realm in
            let login: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
            var page = try await realm.next(try await realm.start("Polling").json, login).json
            #expect(types(page) == ["PollingWaitCallback", "ConfirmationCallback"])
            #expect(page["callbacks"]?[0]?["output"]?[0]?["value"] == "1000")
            let early = try await realm.next(page)
            #expect(early.status == 200)
            #expect(early.json["authId"] != page["authId"])
            page = early.json
            realm.time.advance(by: .seconds(1))
            page = try await realm.next(page).json
            #expect(page["callbacks"] != nil)
            realm.time.advance(by: .seconds(1))
            #expect(try await realm.next(page).json["tokenId"] != nil)
        }
    }

    @Test("ask a device, which answers by the user, and know another way", arguments: ["demo", "alice", "bob"])
    func push(user: String) async throws {
        try await withRealm { realm in
            let login: [String: JSONValue] = ["IDToken1": .string(user), "IDToken2": .string(Realm.password)]
            var answer = try await realm.next(try await realm.start("Push").json, login)
            var polls = 0
            while answer.json["callbacks"] != nil, polls < 10 {
                polls += 1
                realm.time.advance(by: .seconds(1))
                answer = try await realm.next(answer.json)
            }
            #expect(polls == ["demo": 2, "alice": 6, "bob": 1][user])
            #expect((answer.json["tokenId"] != nil) == (user != "bob") && (answer.status == 401) == (user == "bob"))
        }
    }

    @Test("know another way where nobody waits for the device, and where it was asked too often")
    func pushLeft() async throws {
        try await withRealm { realm in
            let login: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
            func waiting() async throws -> JSONValue {
                try await realm.next(try await realm.start("Push").json, login).json
            }
            var pages = [try await realm.next(try await waiting(), ["IDToken2": 0]).json, try await waiting()]
            for _ in 0..<4 { pages[1] = try await realm.next(pages[1]).json }
            for page in pages {
                #expect(types(page) == ["TextOutputCallback", "PasswordCallback"])
                #expect(try await realm.next(page, ["IDToken2": "424242"]).json["tokenId"] != nil)
            }
        }
    }

    @Test("end a wait at the exit and when polled too often")
    func pollingEnds() async throws {
        try await withRealm { realm in
            let login: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]
            func waiting() async throws -> JSONValue {
                try await realm.next(try await realm.start("Polling").json, login).json
            }
            #expect(try await realm.next(try await waiting(), ["IDToken2": 0]).status == 401)
            var page = try await waiting()
            for _ in 0..<3 { page = try await realm.next(page).json }
            #expect(try await realm.next(page).status == 401)
        }
    }
}
