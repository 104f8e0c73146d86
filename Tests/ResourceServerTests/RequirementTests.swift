import Basics
import ResourceServer
import Testing

@Suite("A requirement")
struct RequirementTests {
    static let now = Timestamp(seconds: 1_767_225_600)

    static func facts(_ change: (inout TokenFacts) -> Void = { _ in }) -> TokenFacts {
        var facts = TokenFacts(
            issuer: "i", subject: "demo", scopes: ["a", "b"], acr: "silver", amr: ["pwd", "otp"], authLevel: 2,
            authTime: now - .seconds(100), expires: now + .seconds(300))
        change(&facts)
        return facts
    }

    static func isMet(_ requirement: Requirement, _ change: (inout TokenFacts) -> Void = { _ in }) -> Bool {
        requirement.shortfall(of: facts(change), at: now).isNone
    }

    @Test("without rules is met by any token")
    func bare() {
        #expect(Self.isMet(Requirement(name: "r")) { $0 = TokenFacts(issuer: "i", subject: nil, expires: Self.now) })
    }

    @Test("asks for nothing without scopes, acr, amr, authLevel or an age that can be exceeded")
    func asksForNothing() {
        for requirement in [
            Requirement(name: "r"), Requirement(name: "r", maxAge: .session),
            Requirement(name: "r", stepUp: "s", challengeACR: "gold"), Requirement(name: "r", machines: true),
        ] {
            #expect(requirement.asksForNothing)
        }
        for requirement in [
            Requirement(name: "r", scopes: ["a"]), Requirement(name: "r", acr: .anyOf(["a"])),
            Requirement(name: "r", amr: .any(["a"])), Requirement(name: "r", authLevel: 1),
            Requirement(name: "r", maxAge: .age(.seconds(60))),
        ] {
            #expect(!requirement.asksForNothing)
        }
    }

    @Test("names the missing scopes in its own order, compared exactly")
    func scopes() {
        let requirement = Requirement(name: "r", scopes: ["c", "a", "B"])
        let shortfall = requirement.shortfall(of: Self.facts(), at: Self.now)
        #expect(shortfall.scopes == ["c", "B"] && !shortfall.isTooWeak && !shortfall.isNone)
        #expect(Self.isMet(Requirement(name: "r", scopes: ["a", "b"])))
    }

    @Test(
        "about acr is met by membership, or by rank in an order that lists the value",
        arguments: [
            (.anyOf(["gold", "silver"]), "silver", true), (.anyOf(["gold"]), "silver", false),
            (.anyOf(["Silver"]), "silver", false), (.anyOf(["silver"]), nil, false), (.anyOf([]), "silver", false),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), "silver", true),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), "gold", true),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), "bronze", false),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), "platinum", false),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), "Gold", false),
            (.order(["bronze", "silver", "gold"], minimum: "silver"), nil, false),
            (.order(["bronze"], minimum: "silver"), "bronze", false), (.anyOf(["K"]), "\u{212A}", false),
        ] as [(ACRRule, String?, Bool)])
    func acr(rule: ACRRule, acr: String?, isMet: Bool) {
        #expect(rule.isMet(by: acr) == isMet)
        #expect(Self.isMet(Requirement(name: "r", acr: rule)) { $0.acr = acr } == isMet)
    }

    @Test(
        "about amr is met by all or by any of its methods",
        arguments: [
            (.all(["pwd", "otp"]), ["otp", "pwd", "x"], true), (.all(["pwd", "otp"]), ["pwd"], false),
            (.any(["hwk", "otp"]), ["otp"], true), (.any(["hwk", "otp"]), ["pwd"], false),
            (.any(["OTP"]), ["otp"], false),
            (.any(["otp"]), [], false), (.all(["otp"]), [], false), (.any([]), ["otp"], false),
            (.all([]), ["otp"], false),
        ] as [(AMRRule, [String], Bool)])
    func amr(rule: AMRRule, methods: [String], isMet: Bool) {
        #expect(Self.isMet(Requirement(name: "r", amr: rule)) { $0.amr = methods } == isMet)
    }

    @Test("tells each rule that is not met, what it asks for and what there is")
    func unmet() {
        let requirement = Requirement(
            name: "r", scopes: ["a", "c"], acr: .anyOf(["gold"]), amr: .all(["pwd", "hwk"]), authLevel: 3,
            maxAge: .age(.seconds(60)))
        func said(_ requirement: Requirement, _ change: (inout TokenFacts) -> Void = { _ in }) -> [String] {
            requirement.unmetRules(by: Self.facts(change), at: Self.now).map {
                "\($0.rule): \($0.expected): \($0.found)"
            }
        }
        #expect(
            said(requirement) == [
                "scopes: a c: a b", "acr: one of gold: silver", "amr: all of pwd hwk: pwd otp",
                "authLevel: 3 or more: 2", "maxAge: 60s or less: 100s",
            ])
        #expect(
            said(requirement) { $0 = TokenFacts(issuer: "i", subject: "demo", expires: nil) }
                == [
                    "scopes: a c: nothing", "acr: one of gold: nothing", "amr: all of pwd hwk: nothing",
                    "authLevel: 3 or more: nothing", "maxAge: 60s or less: nothing",
                ])
        let others = Requirement(name: "r", acr: .order(["a", "b"], minimum: "b"), amr: .any(["hwk", "fpt"]))
        #expect(said(others) == ["acr: at least b of a b: silver", "amr: one of hwk fpt: pwd otp"])
        #expect(
            said(Requirement(name: "r", scopes: ["a"], authLevel: 2, maxAge: .age(.seconds(100)))) == [])
    }

    @Test(
        "about the level is met by a number that is high enough, and never by none",
        arguments: [(2, true), (3, true), (1, false), (0, false), (nil, false)] as [(Int?, Bool)])
    func level(level: Int?, isMet: Bool) {
        #expect(Self.isMet(Requirement(name: "r", authLevel: 2)) { $0.authLevel = level } == isMet)
    }

    @Test(
        "about the age is met up to the limit without leeway, and not by a time ahead of the clock",
        arguments: [(300, true), (301, false), (0, true), (-60, true), (-61, false), (nil, false)] as [(Int64?, Bool)])
    func age(seconds: Int64?, isMet: Bool) {
        let requirement = Requirement(name: "r", maxAge: .age(.seconds(300)))
        #expect(Self.isMet(requirement) { $0.authTime = seconds.map { Self.now - .seconds($0) } } == isMet)
    }

    @Test("with an age of zero is met by a sign-in of this very instant only, and with the session's by any")
    func extremes() {
        let zero = Requirement(name: "r", maxAge: .age(.zero))
        #expect(Self.isMet(zero) { $0.authTime = Self.now } && !Self.isMet(zero))
        #expect(Self.isMet(Requirement(name: "r", maxAge: .session)) { $0.authTime = nil })
    }

    @Test("asks for fresh evidence when it asks for more than scopes")
    func asksForStrength() {
        #expect(!Requirement(name: "r", scopes: ["a"]).asksForStrength)
        for requirement in [
            Requirement(name: "r", acr: .anyOf(["a"])), Requirement(name: "r", amr: .any(["a"])),
            Requirement(name: "r", authLevel: 1), Requirement(name: "r", maxAge: .session),
        ] {
            #expect(requirement.asksForStrength)
        }
    }
}
