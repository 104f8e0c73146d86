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

@Suite("The DaVinci library signs in by a policy of the simulated environment")
struct LibraryPolicyTests {
    @Test func `Mfa: by one of several devices, and by mail`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            #expect(try await library.signIn("demo", "Mfa").isPage)
            let options = try #require(try library.field("device")["options"]?.array)
            #expect(options.map { $0["type"]?.string } == ["SMS", "EMAIL", "TOTP"])
            #expect(try await library.next(["device": options[1]["id"] ?? ""], action: "device").isPage)
            let message = try await library.newestMessage()
            #expect(message["to"] == "demo@example.com")
            #expect(try await library.next(["otp": "x"], action: "submit").error?.message == "The code is not right")
            #expect(try await library.next(action: "devices").isPage)
            // The one marked as the default.
            #expect(try await library.next(action: "device").isPage)
            #expect(try await library.next(["otp": "424242"], action: "submit").isSuccess)
            #expect(try await library.claims()["amr"] == ["pwd", "otp", "mfa"])
            realm.expectRefusals()
        }
    }

    @Test func `Mfa: by the second of two devices that look alike, in either form`() async throws {
        for form in DeviceValue.allCases {
            try await withRealm { realm in
                let library = try PingOneLibrary(realm, { $0.deviceValue = form })
                try await library.signIn("alice", "Mfa")
                let options = try #require(try library.field("device")["options"]?.array)
                #expect(options.count == 2 && options[0]["title"] == options[1]["title"])
                #expect(options.allSatisfy { $0["default"] == true })
                #expect(try await library.next(["device": options[1]["id"] ?? ""], action: "device").isPage)
                #expect(try await library.next(["otp": "424242"], action: "submit").isSuccess)
                realm.expectRefusals()
            }
        }
    }

    @Test func `Mfa: by a device that is registered on the way, with a phone and its extension`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.signIn("bob", "Mfa")
            #expect(try library.field("device")["type"] == "DEVICE_REGISTRATION")
            #expect(try await library.next(["device": "VOICE"], action: "device").isPage)
            let short: JSONValue = ["countryCode": "GB", "phoneNumber": "12"]
            let refused = try await library.next(["user.phone": short], action: "submit")
            #expect(refused.error?.input["details"]?[0]?["rawResponse"]?["details"]?[0]?["target"] == "phone")
            let phone: JSONValue = ["countryCode": "GB", "phoneNumber": "2071838750", "extension": "12"]
            #expect(try await library.next(["user.phone": phone], action: "submit").isPage)
            let code = try await library.newestMessage()["code"] ?? ""
            #expect(try await library.next(["otp": code], action: "submit").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test(
        "Push: as the device decides, and by a code where it does not",
        arguments: [
            ("phone", "success"), ("work-phone", "page"), ("old-phone", "error"), ("tablet", "error"),
        ])
    func push(_ device: String, _ outcome: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.signIn("demo", "Push")
            #expect(try await library.next(["device": .string(device)], action: "device").isPage)
            var node = try await library.poll()
            var polls = 1
            while polls < 5, case .continue = node, library.ids.contains("polling") {
                node = try await library.poll()
                polls += 1
            }
            let statuses = realm.simulator.received("/status")
            switch outcome {
            case "success":
                #expect(node.isSuccess && polls == 2)
                #expect(try await library.claims()["amr"] == ["pwd", "mfa"])
            case "page": #expect(library.ids == ["LABEL-0", "device"] && polls == 2)
            default:
                #expect(node.error?.message == (device == "tablet" ? "timedOut" : "expired"))
                #expect(polls == (device == "tablet" ? 5 : 1))
                #expect(try await library.next(action: "USE_CODE").isPage)
                #expect(try await library.next(["otp": "424242"], action: "SUBMIT").isSuccess)
            }
            #expect(statuses == polls)
            realm.expectRefusals()
        }
    }

    @Test(
        "Approval: by polling the flow, which shows its page again until it is through",
        arguments: [
            "demo", "alice", "bob",
        ])
    func approval(_ user: String) async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.signIn(user, "Approval")
            #expect(library.ids == ["polling", "CANCEL"])
            for _ in 0..<2 { #expect(try await library.poll().isPage) }
            #expect(library.ids == ["polling", "CANCEL"])
            let third = try await library.poll()
            switch user {
            case "demo": #expect(third.isSuccess)
            case "alice":
                #expect(library.ids == ["LABEL-0", "submit"])
                #expect(try await library.next(action: "submit").isSuccess)
            default:
                #expect(try await library.poll().isPage)
                #expect(try await library.poll().error?.message == "timedOut")
                #expect(try await library.next(action: "CANCEL").reason == .providerRefused)
            }
            realm.expectRefusals()
        }
    }

    @Test func `Social: by another provider, for known users and for new ones`() async throws {
        try await withRealm { realm in
            for user in ["demo", "somebody"] {
                let library = try PingOneLibrary(realm)
                try await library.start("Social")
                let returned = try await library.visit("google-btn", as: user)
                #expect(try await library.resume(returned).isSuccess)
                #expect(try await library.claims()["amr"] == ["fed"])
            }
            // What has come back once is used up, and the same button leads there again.
            let library = try PingOneLibrary(realm)
            try await library.start("Social")
            let refused = try await library.resume(try await library.visit("google-btn", as: nil))
            #expect(refused.error?.page != nil)
            let returned = try await library.visit("google-btn", as: "bob")
            #expect(try await library.resume(returned).error?.message == "This account may not be used here")
            #expect(try await library.next(PingOneLibrary.forms, action: "submit").isSuccess)
            realm.expectRefusals()
        }
    }

    @Test func `Social: after one more page, which is of another interaction`() async throws {
        try await withRealm {
            $0.keepsRequests = true
        } _: { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Social")
            let before = try #require(library.page?.input["interactionId"])
            #expect(try await library.resume(library.visit("google-btn", as: "alice")).isPage)
            #expect(library.ids == ["user.email", "submit"] && library.page?.input["interactionId"] != before)
            #expect(try await library.next(action: "submit").isSuccess)
            realm.expectRefusals()
            let resumed = realm.simulator.requests.filter { $0.target.hasSuffix("/continue") }
            #expect(resumed.count == 1 && resumed[0].headers.first("interactionid") == nil)
        }
    }

    @Test func `Registration: with every field that takes data, refused for each reason first`() async throws {
        try await withRealm { realm in
            let library = try PingOneLibrary(realm)
            try await library.start("Registration")
            var values: [String: JSONValue] = [
                "user.username": "demo", "user.email": "demo@localhost", "user.password": "Demo-7-word", "plan": "pro",
                "topics": ["news", "events"], "interests": ["sports", "chess"], "terms": true,
                "user.phone": ["countryCode": "GB", "phoneNumber": "2071838750", "extension": "9"],
            ]
            let refused = try await library.next(values, action: "submit")
            let details = refused.error?.input["details"]?[0]?["rawResponse"]?["details"]?.array ?? []
            #expect(details.map { $0["target"]?.string } == ["username", "email", "password"])
            #expect(details.first?["code"] == "UNIQUENESS_VIOLATION")
            #expect(details.last?["innerError"]?["unsatisfiedRequirements"] == ["excludesProfileData"])
            values["user.username"] = "nina"
            values["user.email"] = "nina@example.com"
            #expect(try await library.next(values, action: "submit").isPage)
            #expect(library.ids == ["otp", "submit", "resend"])
            let first = try await library.newestMessage()
            #expect(try await library.next(action: "resend").isPage)
            let second = try await library.newestMessage()
            #expect(second["to"] == "nina@example.com" && second["code"] != first["code"])
            #expect(try await library.next(["otp": second["code"] ?? ""], action: "submit").isPage)
            #expect(try await library.next(["pin": "2711"], action: "submit").isSuccess)
            try await library.session.delete()
            #expect(try await library.start().isPage)
            let node = try await library.next(["username": "nina", "password": "Demo-7-word"], action: "SIGNON")
            #expect(node.isSuccess)
            realm.expectRefusals()
        }
    }
}
