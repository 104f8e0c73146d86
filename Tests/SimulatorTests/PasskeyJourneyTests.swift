import Basics
import IdentitySimulator
import JSON
import TestSupport
import Testing

/// What AM reads and writes, put together here and not by the clients.
@Suite("The journeys with credentials of the browser")
struct PasskeyJourneyTests {
    typealias Deviation = SoftwareAuthenticator.Deviation

    private static func data(_ page: JSONValue) -> JSONValue {
        page["callbacks"]?[0]?["output"]?[0]?["value"] ?? .null
    }

    private static func base64url(_ standard: JSONValue?) -> JSONValue {
        .string(Base64URL.encode(Base64.decode(standard?.string ?? "") ?? []))
    }

    private static func numbers(_ base64url: JSONValue?) -> String {
        let bytes = Base64URL.decode(base64url?.string ?? "") ?? []
        return bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ",")
    }

    private static func text(_ base64url: JSONValue?) -> String {
        String(decoding: Base64URL.decode(base64url?.string ?? "") ?? [], as: UTF8.self)
    }

    private static func wrapped(_ legacy: String) -> JSONValue {
        .string(JSONValue.object(["authenticatorAttachment": "platform", "legacyData": .string(legacy)]).text)
    }

    private static let login: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]

    /// The outcome of a registration on a page.
    private func creation(
        _ page: JSONValue, _ authenticator: SoftwareAuthenticator, _ deviation: Deviation = Deviation()
    ) throws -> String {
        let data = Self.data(page)
        let credential = try authenticator.create(
            [
                "rp": ["id": data["_relyingPartyId"] ?? .null], "challenge": Self.base64url(data["challenge"]),
                "user": ["id": .string(Base64URL.encode(Array((data["userId"]?.string ?? "").utf8)))],
                "pubKeyCredParams": data["_pubKeyCredParams"] ?? .null,
            ], deviation)
        return [
            Self.text(credential["response"]?["clientDataJSON"]),
            Self.numbers(credential["response"]?["attestationObject"]), credential["rawId"]?.string ?? "",
        ].joined(separator: "::")
    }

    /// The outcome of an authentication on a page.
    private func signature(
        _ page: JSONValue, _ authenticator: SoftwareAuthenticator, _ deviation: Deviation = Deviation()
    ) throws -> String {
        let data = Self.data(page)
        let credential = try authenticator.get(
            ["rpId": data["_relyingPartyId"] ?? .null, "challenge": Self.base64url(data["challenge"])], deviation)
        let response = credential["response"]
        return [
            Self.text(response?["clientDataJSON"]), Self.numbers(response?["authenticatorData"]),
            Self.numbers(response?["signature"]), credential["rawId"]?.string ?? "", Self.text(response?["userHandle"]),
        ].joined(separator: "::")
    }

    @Test func `send both families of members, as Ping's own programs want them`() async throws {
        try await withRealm { realm in
            let page = try await realm.next(try await realm.start("RegisterDevice").json, Self.login).json
            let data = Self.data(page)
            #expect(data["excludeCredentials"] == "" && data["_excludeCredentials"] == [])
            #expect(data["relyingPartyId"] == #"id: "localhost","# && data["_relyingPartyId"] == "localhost")
            for name in ["authenticatorSelection", "pubKeyCredParams"] {
                #expect(try JSONValue(parsing: data[name]?.string ?? "") == data["_" + name])
            }
            #expect(data["supportsJsonResponse"] == true && data["_type"] == "WebAuthn")
            #expect(page["callbacks"]?[1]?["input"]?[0]?["value"] == "webAuthnOutcome")
        }
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases, [false, true])
    func `take what AM takes`(algorithm: SoftwareAuthenticator.Algorithm, isPacked: Bool) async throws {
        try await withRealm { realm in
            let authenticator = SoftwareAuthenticator(
                origin: "http://localhost:8080", algorithm: algorithm, isPacked: isPacked)
            let page = try await realm.next(try await realm.start("RegisterDevice").json, Self.login).json
            let created = try creation(page, authenticator) + "::My phone"
            #expect(try await realm.next(page, ["IDToken2": Self.wrapped(created)]).json["tokenId"] != nil)
            let asked = try await realm.next(try await realm.start("Passkey").json, ["IDToken1": "demo"]).json
            let text = Self.data(asked)["allowCredentials"]?.string ?? ""
            #expect(text.hasPrefix(#"{ "type": "public-key", "id": new Int8Array(["#))
            let signed = try signature(asked, authenticator)
            #expect(try await realm.next(asked, ["IDToken2": Self.wrapped(signed)]).json["tokenId"] != nil)
        }
    }

    @Test func `refuse a new credential that does not hold`() async throws {
        try await withRealm { realm in
            let authenticator = SoftwareAuthenticator(origin: "http://localhost:8080", isPacked: true)
            func end(_ outcome: (JSONValue) throws -> JSONValue) async throws -> String? {
                let page = try await realm.next(try await realm.start("RegisterDevice").json, Self.login).json
                return try await realm.next(page, ["IDToken2": try outcome(page)]).json["message"]?.string
            }
            func deviating(_ change: (inout Deviation) -> Void) async throws -> String? {
                var deviation = Deviation()
                change(&deviation)
                return try await end { Self.wrapped(try creation($0, authenticator, deviation)) }
            }
            func expect(_ message: String?, _ expected: String) { #expect(message == expected) }
            let refused = "The credential is not accepted: "
            expect(try await deviating { $0.challenge = "AQID" }, refused + "challenge")
            expect(try await deviating { $0.clientType = "webauthn.get" }, refused + "type")
            expect(try await deviating { $0.relyingParty = "example.com" }, refused + "attestation")
            let elsewhere = SoftwareAuthenticator(origin: "https://localhost.example")
            expect(try await end { Self.wrapped(try creation($0, elsewhere)) }, refused + "origin")
            expect(try await end { .string(try creation($0, authenticator)) }, refused + "form")
            expect(
                try await end { Self.wrapped(try creation($0, authenticator).replacing("::", with: ":")) },
                refused + "not an outcome of a registration")
            // Another byte within the signature of the statement.
            let spoilt = try await end { page in
                var parts = try creation(page, authenticator).split(separator: "::").map(String.init)
                var bytes = parts[1].split(separator: ",").map(String.init)
                bytes[60] = bytes[60] == "1" ? "2" : "1"
                parts[1] = bytes.joined(separator: ",")
                return Self.wrapped(parts.joined(separator: "::"))
            }
            expect(spoilt, refused + "statement")
            expect(try await end { _ in "webAuthnOutcome" }, "The credential was not asked for")
            expect(try await end { _ in "unsupported" }, "The browser has no credentials")
            expect(try await end { _ in "ERROR::AbortError:x" }, "The browser says AbortError")
        }
    }

    @Test func `refuse a signature that does not hold`() async throws {
        try await withRealm { realm in
            let authenticator = SoftwareAuthenticator(origin: "http://localhost:8080")
            let page = try await realm.next(try await realm.start("RegisterDevice").json, Self.login).json
            _ = try await realm.next(page, ["IDToken2": Self.wrapped(try creation(page, authenticator))])
            func end(_ user: JSONValue = "demo", _ change: (inout Deviation) -> Void) async throws -> JSONValue {
                var deviation = Deviation()
                change(&deviation)
                let asked = try await realm.next(try await realm.start("Passkey").json, ["IDToken1": user]).json
                guard asked["callbacks"] != nil else { return asked }
                let outcome = Self.wrapped(try signature(asked, authenticator, deviation))
                return try await realm.next(asked, ["IDToken2": outcome]).json
            }
            func expect(_ end: JSONValue, _ expected: JSONValue) { #expect(end["message"] == expected) }
            let refused = "The credential is not accepted: "
            expect(try await end { $0.challenge = "AQID" }, .string(refused + "challenge"))
            expect(try await end { $0.relyingParty = "example.com" }, .string(refused + "authenticator data"))
            expect(try await end { $0.spoilsSignature = true }, .string(refused + "signature"))
            let good = try await end { _ in }
            #expect(good["tokenId"] != nil)
            expect(try await end { $0.step = 0 }, .string(refused + "signature"))
            expect(try await end("alice") { _ in }, "No device is registered")
            // Alice has a credential of her own; the one of demo is not hers.
            let other = SoftwareAuthenticator(origin: "http://localhost:8080")
            let hers = try await realm.next(
                try await realm.start("RegisterDevice").json, Self.login.merging(["IDToken1": "alice"]) { $1 }
            ).json
            #expect(
                try await realm.next(hers, ["IDToken2": Self.wrapped(try creation(hers, other))]).json["tokenId"]
                    != nil)
            expect(try await end("alice") { _ in }, .string(refused + "signature"))
        }
    }
}
