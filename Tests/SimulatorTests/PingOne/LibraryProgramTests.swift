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

@Suite("The DaVinci library signs in by a policy with a program of the page, or with oddities")
struct LibraryProgramTests {
    @Test func `Reset: by a code in the mail and another password, but none of before`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Reset")
            // Nobody learns whether there is such a user.
            #expect(try await library.next(["user.username": "nobody"], action: "submit").isPage)
            #expect(try await library.next(["otp": "123456"], action: "submit").error != nil)
            try await library.start("Reset") { $0.loginHint = "alice" }
            #expect(try await library.next(action: "submit").isPage)
            let code = try await library.newestMessage()["code"] ?? ""
            #expect(try await library.next(["otp": code], action: "submit").isPage)
            let old = try await library.next(["user.password": .string(Realm.password)], action: "submit")
            let detail = try #require(old.error?.input["details"]?[0]?["rawResponse"]?["details"]?[0])
            #expect(detail["target"] == "newPassword")
            #expect(detail["innerError"]?["unsatisfiedRequirements"] == ["history"])
            #expect(try await library.next(["user.password": "An0ther-Word"], action: "submit").isSuccess)
            try await library.session.delete()
            try await library.start()
            let node = try await library.next(["username": "alice", "password": "An0ther-Word"], action: "SIGNON")
            #expect(node.isSuccess)
            realm.expectRefusals()
        }
    }

    @Test(
        "Passkey: by a new credential and by its signature, with a name and without",
        arguments: SoftwareAuthenticator.Algorithm.allCases)
    func passkey(_ algorithm: SoftwareAuthenticator.Algorithm) async throws {
        try await withRealm { realm in
            let authenticator = SoftwareAuthenticator(origin: "http://localhost:8080", algorithm: algorithm)
            let library = try PingOneLibrary(realm)
            func options() throws -> JSONValue {
                try #require(library.page?.collectors.first { $0.id == "fido2" }?.document["publicKey"])
            }
            try await library.start("Passkey")
            try await library.next(action: "register")
            #expect(try await library.next(PingOneLibrary.forms, action: "submit").isPage)
            let made = try authenticator.create(options())
            #expect(try await library.next(["fido2": ["credential": made]]).isSuccess)
            #expect(try await library.claims()["amr"] == ["pwd", "hwk"])
            for name in ["demo", ""] {
                try await library.session.delete()
                try await library.start("Passkey")
                #expect(try await library.next(["user.username": .string(name)], action: "submit").isPage)
                #expect(try options()["allowCredentials"]?.array?.count == (name.isEmpty ? 0 : 1))
                var spoilt = SoftwareAuthenticator.Deviation()
                spoilt.spoilsSignature = true
                let bad = try await library.next(["fido2": ["credential": authenticator.get(options(), spoilt)]])
                #expect(bad.error?.message == "The passkey could not be verified")
                #expect(try await library.next(["fido2": ["credential": authenticator.get(options())]]).isSuccess)
                #expect(try await library.claims()["amr"] == ["hwk", "mfa"])
            }
            realm.expectRefusals()
        }
    }

    @Test func `Passkey: by the branch of who cancels`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Passkey")
            try await library.next(["user.username": "demo"], action: "submit")
            let cancelled: JSONValue = ["error": ["name": "NotAllowedError", "message": "No."]]
            #expect(try await library.next(["fido2": cancelled]).isPage)
            #expect(library.ids == ["LABEL-0", "otp", "submit"])
            #expect(try await library.next(["otp": "424242"], action: "submit").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test(
        "Protect: by signals in either place, and by a code where they are bad",
        arguments: [
            ("demo", "deviceRisk"), ("alice", "protectsdk"), ("bob", "riskSDK"),
        ])
    func protect(_ user: String, _ key: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.signIn(user, "Protect")
            #expect(library.ids == [key, "submit"])
            #expect(try await library.next(action: "submit").error != nil)
            #expect(try await library.next([key: "R/o/high"], action: "submit").isPage)
            #expect(try await library.next(["otp": "424242"], action: "submit").isSuccess)
            let other = try PingOneLibrary(realm)
            try await other.signIn(user, "Protect")
            #expect(try await other.next([key: "R/o/low"], action: "submit").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test("Metadata: by what a program says, after its error", arguments: ["demo", "alice"])
    func metadata(_ user: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.signIn(user, "Metadata")
            #expect(library.ids == ["sdkMetadata"])
            #expect((try library.field("sdkMetadata")["payload"]?["TYPE"] != nil) == (user == "alice"))
            let error: JSONValue = ["error": ["code": "E7", "message": "No", "isClientError": true]]
            #expect(try await library.next(["sdkMetadata": error], action: "sdkMetadata").isPage)
            #expect(library.ids == ["LABEL-0", "RETRY"])
            try await library.next(action: "RETRY")
            #expect(try await library.next(["sdkMetadata": ["result": ["ok": true]]], action: "sdkMetadata").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test("Recognize: by a token, after an error of the program", arguments: ["demo", "bob"])
    func recognize(_ user: String) async throws {
        try await withRealm { realm in
            let token: JSONValue = ["signedJwt": "e30.e30.AA", "recognizeId": "r1"]
            let library = try PingOneLibrary(realm)
            try await library.signIn(user, "Recognize")
            #expect(
                try library.field("recognize")["operationType"]?.string == (user == "bob" ? "ENROLL" : "AUTHENTICATE"))
            let error: JSONValue = ["clientError": "no camera", "clientErrorCode": "7"]
            #expect(try await library.next(["recognize": error], action: "recognize").isPage)
            #expect(try await library.next(["otp": "424242"], action: "submit").isSuccess)
            let other = try PingOneLibrary(realm)
            try await other.signIn(user, "Recognize")
            #expect(try await other.next(["recognize": token], action: "recognize").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test(
        "Texts: in the language of the user",
        arguments: [("de-CH", "Anmeldung"), ("fr", "Connexion"), ("it", "Sign On")])
    func texts(_ language: String, _ title: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm, { $0.languages = LanguagePreference(mode: .override, [language]) })
            try await library.start("Texts")
            #expect(library.page?.input["form"]?["name"]?.string == title)
            let shown = library.page?.collectors.prefix(10).map(\.type) ?? []
            #expect(
                shown == [
                    "ReadOnlyCollector", "RichTextCollector", "RichTextCollector", "RichTextCollector",
                    "RichTextCollector", "ReadOnlyTextCollector", "ReadOnlyTextCollector", "QrCodeCollector",
                    "ImageCollector", "ImageCollector",
                ])
            #expect(try await library.next(PingOneLibrary.forms, action: "submit").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test("Odd: whatever is odd about it", arguments: ["demo", "alice", "bob"])
    func odd(_ user: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Odd")
            #expect((library.page?.collectors.count ?? 0) > 20)
            let values: [String: JSONValue] = [
                "username": .string(user), "password": .string(Realm.password), "card": "2",
            ]
            #expect(try await library.next(values, action: "SIGNON").isPage)
            switch user {
            case "demo":
                #expect(library.ids == ["LABEL-0", "continue"])
                #expect(try await library.next(action: "continue").isSuccess)
            case "alice":
                for number in 1...5 {
                    #expect(try await library.next(action: "submit").error?.message == "Refusal \(number)")
                }
                #expect(try await library.next(action: "submit").isSuccess)
            default:
                #expect(try await library.next(action: "press").isPage)
                #expect(library.ids.isEmpty)
                #expect(try await library.next().isSuccess)
            }
            realm.expectRefusals()
        }
    }

    @Test(
        "Huge: where it is only large",
        arguments: [
            ("nothing", nil), ("fields", .pageTooLarge), ("page", .pageTooLarge), ("depth", .pageTooLarge),
        ] as [(String, DaVinciFlowError.Reason?)])
    func huge(_ part: String, _ reason: DaVinciFlowError.Reason?) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Huge")
            let node = try await library.next(["part": .string(part)], action: "submit")
            #expect(node.reason == reason)
            if reason == nil { #expect(try await library.next(PingOneLibrary.forms, action: "submit").isSuccess) }
            realm.expectRefusals()
        }
    }

    @Test(
        "ForeignLinks: where no link of its own leads elsewhere",
        arguments: [
            "none", "other-host", "http", "script", "port", "user", "continue", "self", "provider",
        ])
    func foreignLinks(_ link: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("ForeignLinks")
            let node = try await library.next(["link": .string(link)], action: "submit")
            let calls = realm.simulator.receivedInAll
            if ["none", "provider"].contains(link) {
                #expect(try await library.next(PingOneLibrary.forms, action: "submit").isSuccess)
            } else {
                #expect(node.reason == .linkNotAllowed)
                #expect(try await library.next(PingOneLibrary.forms, action: "submit").cause != nil)
                #expect(realm.simulator.receivedInAll == calls)
            }
            realm.expectRefusals()
        }
    }
}
