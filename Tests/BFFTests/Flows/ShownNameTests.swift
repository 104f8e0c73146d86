import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("The user whom a browser is asked about")
struct ShownNameTests {
    @Test(
        "is shown by a name that nothing hides in",
        arguments: [
            ("eve", "eve"), ("  Eve \t\n Adams\r\n", "Eve Adams"),
            ("<script>alert(1)</script>", "scriptalert(1)/script"),
            ("a\u{0}b\u{1B}[31mc\u{7F}", "ab[31mc"), ("demo\u{202E}eve\u{2066}x\u{200B}y\u{FEFF}", "demoevexy"),
            ("x\u{2028}y\u{2029}z", "x y z"), ("\u{E000}\u{FFFF}", nil), ("", nil), (" \u{200D} ", nil),
            ("Zo\u{EB} \u{5D0}\u{5D1} \u{65E5}\u{672C}", "Zo\u{EB} \u{5D0}\u{5D1} \u{65E5}\u{672C}"),
            (String(repeating: "x", count: 64), String(repeating: "x", count: 64)),
            (String(repeating: "x", count: 100_000), String(repeating: "x", count: 64) + "…"),
            (String(repeating: "x", count: 63) + " ab", String(repeating: "x", count: 63) + "…"),
        ] as [(String, String?)])
    func names(name: String, shown: String?) {
        #expect(ShownName.text(name) == shown)
    }

    @Test("is named by what it signs in with, else by its name, else by its subject")
    func claims() async throws {
        let rows: [(claims: [String: String], name: String)] = [
            (["preferred_username": "eve1", "name": "demo", "email": "demo@example.com"], "eve1"),
            (["preferred_username": " ", "name": "Eve", "email": "e@example.com"], "Eve"),
            (["email": "e@example.com"], "e@example.com"), ([:], "e v e"),
        ]
        for (claims, name) in rows {
            let fixture = try Fixture()
            let browser = try await fixture.signedIn()
            for (claim, value) in claims { fixture.provider.setClaim(claim, value) }
            let question = try await browser.asked(fixture, "e\nv\te\u{202E}")
            #expect(question.name == name && question.subject == "e v e")
        }
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.userinfo, .refused(check: "x"))
        let question = try await browser.asked(fixture, "\u{200B}")
        #expect(question.name == "?" && question.subject == "?")
        #expect(try await browser.confirm(question)["user"]?["subject"] == "\u{200B}")
    }
}
