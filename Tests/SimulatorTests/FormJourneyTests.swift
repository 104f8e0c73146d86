import IdentitySimulator
import JSON
import Testing

/// What no careful client sends: the simulator looks for itself.
@Suite("A journey of forms")
struct FormJourneyTests {
    /// A journey, who is signed in on its first page, and what is wrong on the one after it.
    private static let refusals: [(journey: String, user: String, inputs: [String: JSONValue])] = [
        ("Consent", "demo", ["IDToken1": "true", "IDToken2": false]),
        ("Consent", "demo", ["IDToken1": true, "IDToken2": nil]),
        ("DeviceProfile", "demo", ["IDToken1": #"{"version":"1.0"}"#]),
        ("DeviceProfile", "demo", ["IDToken1": #"{"identifier":"","version":"1.0"}"#]),
        ("DeviceProfile", "demo", ["IDToken1": #"{"identifier":"a","version":"1.0","more":1}"#]),
        ("DeviceProfile", "demo", ["IDToken1": ["identifier": "a", "version": "1.0"]]),
        (
            "DeviceProfile", "alice",
            ["IDToken1": #"{"identifier":"a","version":"1.0","location":{"latitude":1,"longitude":1}}"#]
        ),
        ("DeviceProfile", "bob", ["IDToken1": #"{"identifier":"a","version":"1.0","metadata":{}}"#]),
        (
            "DeviceProfile", "bob",
            ["IDToken1": #"{"identifier":"a","version":"1.0","location":{"latitude":91,"longitude":1}}"#]
        ),
        ("Binding", "demo", ["IDToken1jws": "x", "IDToken1clientError": "Unsupported"]), ("Binding", "demo", [:]),
        ("Binding", "demo", ["IDToken1clientError": "Abort"]), ("Binding", "alice", ["IDToken1jws": "x"]),
        ("Captcha", "demo", ["IDToken1": "captcha"]), ("Captcha", "demo", [:]),
        ("Captcha", "alice", ["IDToken1token": "captcha-passed", "IDToken1payload": "x"]),
        ("Captcha", "alice", ["IDToken1token": "captcha-passed", "IDToken1payload": [:]]),
        ("Captcha", "bob", ["IDToken1token": "captcha-passed", "IDToken1action": "other"]),
        ("Captcha", "bob", ["IDToken1token": "captcha-passed", "IDToken1clientError": "x"]),
        ("Protect", "demo", ["IDToken1clientError": "x"]), ("ProtectMetadata", "demo", ["IDToken2": "x"]),
        ("Recognize", "demo", ["IDToken1signedJwt": "j"]),
        (
            "Recognize", "demo",
            ["IDToken1signedJwt": "j", "IDToken1recognizeId": "r", "IDToken1devicePublicSigningKey": "x"]
        ),
        ("Recognize", "bob", ["IDToken1signedJwt": "j"]), ("Totp", "demo", ["IDToken4": 100]),
        ("Totp", "alice", ["IDToken3": 1]), ("RecoveryCodes", "demo", ["IDToken2": 100]),
    ]

    @Test("refuses what is wrong, and says what")
    func refused() async throws {
        try await withRealm { realm in
            for (journey, user, inputs) in Self.refusals {
                let reply = try await realm.next(try await realm.form(journey, user), inputs)
                #expect(reply.status == 401, "\(journey) \(inputs)")
                #expect(reply.json["message"]?.string?.isEmpty == false && reply.json["message"] != "Login failure")
            }
        }
    }

    @Test("takes a device profile without version, as Ping's SDK for JavaScript sends it")
    func profileWithoutVersion() async throws {
        try await withRealm { realm in
            let profile: JSONValue = #"{"identifier":"a","metadata":{}}"#
            let end = try await realm.next(try await realm.form("DeviceProfile", "demo"), ["IDToken1": profile])
            #expect(end.json["tokenId"] != nil)
        }
    }

    @Test("shows what breaks a policy on the same page, with the answers, and checks alone where that is wished")
    func again() async throws {
        try await withRealm { realm in
            let wrong: [[String: JSONValue]] = [
                ["IDToken1": ""], ["IDToken1": nil], ["IDToken2": "43"], ["IDToken2": 0], ["IDToken3": "yes"],
                ["IDToken3validateOnly": true],
            ]
            for inputs in wrong {
                let page = try await realm.form("Profile", "demo")
                let same = try await realm.next(page, inputs)
                #expect(same.status == 200 && same.json["authId"] != nil && same.json["authId"] != page["authId"])
                #expect(same.json["callbacks"]?.array?.count == page["callbacks"]?.array?.count)
            }
            let page = try await realm.form("Profile", "alice")
            #expect(page["callbacks"]?[1]?.text.contains("42.50") == true)
            #expect(try await realm.next(page).json["tokenId"] != nil)
        }
    }

    @Test("sets up an app, whose codes are good for their time")
    func codes() async throws {
        try await withRealm { realm in
            let code = try await realm.next(try await realm.form("Totp", "demo"), ["IDToken4": 0]).json
            #expect(code["stage"] == "OneTimePassword")
            #expect(try await realm.next(code, ["IDToken1": "424242"]).json["message"] == "The code is wrong")
            // Codes are made before 1970 as well.
            realm.simulator.faults.clockOffset = .seconds(-2_000_000_000)
            let early = try await realm.next(try await realm.form("Totp", "demo"), ["IDToken4": 0]).json
            #expect(try await realm.next(early, ["IDToken1": "424242"]).json["message"] == "The code is wrong")
        }
    }
}

extension Realm {
    /// The first page of a journey of forms, behind name and password.
    func form(_ journey: String, _ user: String) async throws -> JSONValue {
        try await next(
            try await start(journey).json, ["IDToken1": .string(user), "IDToken2": .string(Self.password)]
        ).json
    }
}
