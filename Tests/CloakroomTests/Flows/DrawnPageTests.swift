import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import ProductKit
import TestSupport
import Testing

/// A page that knows no callback types: it draws each question from `answer` alone, and a user fills in what is asked for.
private struct Drawing {
    /// What the user has in mind for each word of `autocomplete`.
    var known: [String: String]

    /// The answer to each question that is drawn; what has none, and what programs fill in, is left as it came.
    func values(_ callbacks: JSONValue?) -> JSONValue {
        var values = JSONObject()
        for callback in callbacks?.array ?? [] {
            guard let id = callback["id"]?.string, let answer = callback["answer"] else { continue }
            values[id] = value(answer)
        }
        return .object(values)
    }

    private func value(_ schema: JSONValue) -> JSONValue? {
        if schema["hidden"] == true { return usual(schema) }
        if let known = schema["autocomplete"]?.string.flatMap({ known[$0] }) { return .string(known) }
        if let choices = schema["oneOf"]?.array {
            #expect(choices.allSatisfy { $0["title"]?.string?.isEmpty == false })
            return schema["default"] ?? choices.first?["const"]
        }
        switch schema["type"]?.string {
        case "object":
            var members = JSONObject()
            for (name, part) in schema["properties"]?.object ?? [:] { members[name] = value(part) }
            return .object(members)
        // Whoever wants to sign in says yes.
        case "boolean": return true
        case "integer", "number": return schema["default"] ?? 20
        default: return schema["default"] ?? "text"
        }
    }

    /// What programs fill in is left as it came, but where the question says itself what a page sends that has no program.
    private func usual(_ schema: JSONValue) -> JSONValue? {
        guard let required = schema["required"]?.array, !required.isEmpty else { return nil }
        var members = JSONObject()
        for name in required.compactMap(\.string) {
            guard let value = schema["properties"]?[name]?["default"] else { return nil }
            members[name] = value
        }
        return .object(members)
    }
}

@Suite("A page drawn from `answer` alone")
struct DrawnPageTests {
    private static let journeys = [
        "Login", "LoginRetry", "Kitchen", "Registration", "Strange", "StepUp", "PasskeyAutofill", "Odd", "Localised",
        "PolicyRefusal", "Huge", "Profile", "Consent", "SelectProvider", "Binding", "RecoveryCodes", "Totp",
        "Push",
    ]
    /// What cannot be signed in with by drawing, whatever a page does.
    private static let others: [String: [String]] = [
        "a program of the page has to answer": [
            "Captcha", "DeviceProfile", "LegacyWebAuthn", "Passkey", "Protect", "ProtectMetadata", "Recognize",
            "RegisterDevice",
        ],
        "it goes on elsewhere": ["EmailLink", "Social", "SocialNative", "SocialPost"],
        "it waits": ["Polling"], "it fails": ["CustomFailure", "Expiring", "Negotiate"],
        "it is no sign-in by itself": ["Advice", "StepUpWithPassword", "Transaction"],
    ]

    @Test("is tried with every journey of the simulator, but for those that no drawing can sign in with")
    func complete() {
        #expect((Self.journeys + Self.others.values.joined()).sorted() == SimulatedDialect.ping.journeys)
    }

    @Test("signs in", arguments: journeys)
    func drawn(_ journey: String) async throws {
        let options = Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = [journey] })
        try await withBench(options) { bench in
            var drawing = Drawing(known: [
                "username": journey == "Registration" ? "newcomer" : "demo", "current-password": "Ch4ng3it!",
                "new-password": "L0ngEnough!", "email": "demo@example.com",
                "one-time-code": SimulatorSettings().oneTimeCode,
            ])
            let browser = bench.browser()
            var page = try await browser.start()
            for _ in 0..<5 where page["type"] == "continue" {
                // Another device of the user's reads what is drawn as a QR code.
                let uri = (page["callbacks"]?.array ?? []).compactMap { $0["uri"]?.string }.first
                if let uri {
                    drawing.known["one-time-code"] = try AuthenticatorApp(scanning: uri).code(at: bench.time.now())
                }
                page = try await browser.call(
                    .post, "/bff/standard/next",
                    [
                        "flow": page["flow"] ?? .null, "step": page["step"] ?? .null,
                        "values": drawing.values(page["callbacks"]),
                    ])
            }
            #expect(page["type"] == "success" && page["signedIn"] == true, "\(page.json.text)")
        }
    }
}
