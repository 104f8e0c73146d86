import BFF
import Basics
import JSON
import TestSupport
import Testing

/// Every case of `StepDecision`, on every store.
@Suite("An answer to a step")
struct StepTests {
    @Test("of a client whose settings have changed since belongs to a flow that is over", arguments: StoreKind.allCases)
    func otherSettings(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let other = browser.at(try fixture.another(fingerprint: [1]))
        other.cookie = browser.cookie
        await #expect(throws: BFFError.flowExpired) { try await other.flow(page) }
        await #expect(throws: BFFError.flowExpired) { try await other.next(try Browser.login(page)) }
        #expect(fixture.provider.count(.next) == 0)
        try await browser.next(try Browser.login(page))
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("is sent to the provider when the step is current and ready", arguments: StoreKind.allCases)
    func current(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"))
        let page = try await browser.start()
        #expect(page["type"] == "continue" && page["step"]?.int == 1 && page["stage"] == "Login")
        let second = try await browser.next(try Browser.login(page))
        #expect(second["type"] == "continue" && second["step"]?.int == 2 && second["stage"] == "Again")
        #expect(second["flow"] == page["flow"])
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("sent twice at once waits for the one answer", arguments: StoreKind.allCases)
    func sameBodyWhileSent(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"))
        let page = try await browser.start()
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(page)
        async let first = browser.next(body)
        await gate.waitUntilHeld()
        async let second = browser.next(body)
        gate.open()
        #expect(try await first == second)
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("sent again after it was answered gets the same answer, byte by byte", arguments: StoreKind.allCases)
    func sameBodyAfter(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"), .refused("Wrong code"), .failure("authentication-failed"))
        var node = try await browser.start()
        for _ in 0..<3 {
            let body = try Browser.answer(node, [:])
            let reply = try await fixture.backend.next("standard", body, browser.context())
            fixture.time.advance(by: .seconds(59))
            let again = try await fixture.backend.next("standard", body, browser.context())
            #expect(again.body == reply.body && again.cookie == .keep)
            node = try JSONValue(parsing: reply.body)
        }
        #expect(node["type"] == "failure")
        #expect(fixture.provider.count(.next) == 3)
    }

    @Test("is not kept longer than a minute")
    func keptTooLong() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"), .failure("authentication-failed"))
        let page = try await browser.start()
        let body = try Browser.login(page)
        let second = try await browser.next(body)
        fixture.time.advance(by: .seconds(60))
        await #expect(throws: BFFError.self) { try await browser.next(body) }
        let last = try Browser.answer(second, ["code": "1"])
        try await browser.next(last)
        // Nor is it shown by a process whose clock says that the minute is over, whatever the store's clock says.
        #expect(try await browser.flow(second)["type"] == "failure")
        let ahead = ManualTime(fixture.time.now() + .seconds(60))
        let late = browser.at(try fixture.another(clock: ahead))
        await #expect(throws: BFFError.flowExpired) { try await late.flow(second) }
        fixture.time.advance(by: .seconds(60))
        await #expect(throws: BFFError.flowExpired) { try await browser.next(last) }
        #expect(fixture.provider.count(.next) == 2)
    }

    @Test("with another body is stale while the step is being sent", arguments: StoreKind.allCases)
    func otherBodyWhileSent(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(page)
        async let first = browser.next(body)
        await gate.waitUntilHeld()
        let error = await #expect(throws: BFFError.self) { try await browser.next(try Browser.login(page, "alice")) }
        guard case .staleStep(let node) = error else {
            Issue.record("not stale")
            return
        }
        #expect(try JSONValue(parsing: node.body)["step"]?.int == 1)
        gate.open()
        #expect(try await first["type"] == "success")
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("with another body is stale after the step was answered", arguments: StoreKind.allCases)
    func otherBodyAfter(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"))
        let page = try await browser.start()
        let second = try await browser.next(try Browser.login(page))
        for step in [1, 3, 0, -1, .max] {
            var body = try Browser.login(page, "alice")
            body.step = step
            let error = await #expect(throws: BFFError.self) { try await browser.next(body) }
            guard case .staleStep(let node) = error else {
                Issue.record("step \(step) is not stale")
                continue
            }
            #expect(try JSONValue(parsing: node.body) == second)
        }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("whose sender died has an unknown outcome, and is never sent again", arguments: StoreKind.allCases)
    func senderDied(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        fixture.provider.script(.next, .page("Again"))
        let body = try Browser.login(page)
        let dead = Task { try await browser.next(body) }
        await gate.waitUntilHeld()

        // Another process, after the deadline: 30 s for the client and 15 s to write.
        let other = browser.at(try fixture.another())
        fixture.time.advance(by: .seconds(44))
        await #expect(throws: BFFError.stepInProgress) { try await other.next(body, within: .milliseconds(400)) }
        fixture.time.advance(by: .seconds(1))
        #expect(try await other.flow(page)["reason"] == "outcome-unknown")
        let node = try await other.next(body)
        #expect(node["type"] == "failure" && node["reason"] == "outcome-unknown")
        #expect(try await other.next(body) == node)
        await #expect(throws: BFFError.flowExpired) { try await other.next(try Browser.login(page, "alice")) }
        #expect(fixture.provider.count(.next) == 1)

        // The sender was not dead but late: it finds its flow given up, and changes nothing.
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await dead.value }
        #expect(try await other.next(body) == node)
    }

    @Test("that signs in too late is undone at the provider", arguments: StoreKind.allCases)
    func tooLate(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(page)
        let late = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        fixture.time.advance(by: .seconds(45))
        let other = browser.at(try fixture.another())
        #expect(try await other.next(body)["reason"] == "outcome-unknown")
        gate.open()
        await #expect(throws: BFFError.flowExpired) { try await late.value }
        #expect(fixture.provider.sessions.isEmpty && fixture.provider.grants.isEmpty)
        await #expect(throws: BFFError.signedOut) { try await other.user() }
    }

    @Test(
        "of an unknown flow is refused, whatever its name",
        arguments: [
            "", "f_", "f_0123456789012345678901", "flow", "../meta", String(repeating: "f", count: 70_000), "f_\u{0}",
            "meta",
        ])
    func unknownFlow(id: String) async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        var body = try Browser.login(page)
        body.flow = id
        fixture.store.reset()
        await #expect(throws: BFFError.flowExpired) { try await browser.next(body) }
        // The store is asked for nothing that is no name of a flow.
        let isOne = id == "f_0123456789012345678901"
        #expect(fixture.store.calls.isEmpty != isOne)
        await #expect(throws: BFFError.flowExpired) {
            try await fixture.backend.flow("standard", id, browser.context())
        }
        _ = try await fixture.backend.cancelFlow("standard", id, browser.context())
        #expect(fixture.store.calls.isEmpty != isOne && fixture.provider.count(.next) == 0)
    }

    @Test("after the flow's ten minutes is refused", arguments: StoreKind.allCases)
    func expired(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let page = try await browser.start("admin")
        fixture.time.advance(by: .seconds(599))
        #expect(try await browser.flow(page, "admin")["expiresIn"]?.int == 1)
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, "admin") }
        let count = fixture.provider.count(.next)
        await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(page), "admin") }
        #expect(fixture.provider.count(.next) == count)
    }

    @Test("that cannot be sent leaves the step as it is", arguments: StoreKind.allCases)
    func invalid(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        var wrong = try Browser.answer(page, ["user": "demo", "pin": "1"])
        wrong.answers.values["password"] = 7
        let error = await #expect(throws: BFFError.self) { try await browser.next(wrong) }
        guard case .invalidAnswers(let problems) = error else {
            Issue.record("accepted")
            return
        }
        #expect(problems.map(\.id) == ["password", "pin"])
        #expect(problems.map(\.code) == ["wrong-type", "unknown-question"])
        #expect(fixture.provider.count(.next) == 0)
        #expect(try await browser.next(try Browser.login(page))["type"] == "success")
    }

    @Test("that never reached the provider can be sent again", arguments: StoreKind.allCases)
    func notTaken(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        fixture.provider.isDown = true
        for _ in 0..<2 {
            await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) {
                try await browser.next(body)
            }
        }
        fixture.provider.isDown = false
        #expect(try await browser.next(body)["type"] == "success")
        #expect(fixture.provider.count(.next) == 3)
    }

    @Test("is shown again with the provider's words when it was refused", arguments: StoreKind.allCases)
    func refused(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .refused("Wrong code"))
        let page = try await browser.start()
        let node = try await browser.next(try Browser.login(page))
        #expect(node["type"] == "error" && node["message"] == "Wrong code" && node["step"]?.int == 2)
        #expect(node["callbacks"] == page["callbacks"])
        #expect(try await browser.flow(node) == node)
        #expect(try await browser.next(try Browser.login(node))["type"] == "success")
    }

    @Test("goes on in another process, and after a restart", arguments: StoreKind.allCases)
    func restart(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"), .page("Again"), .success("demo"))
        var node = try await browser.start()
        for _ in 0..<2 {
            let other = browser.at(try fixture.another())
            #expect(try await other.flow(node) == node)
            node = try await other.next(try Browser.answer(node, [:]))
        }
        let last = browser.at(try fixture.another())
        #expect(try await last.next(try Browser.answer(node, [:]))["type"] == "success")
        #expect(try await last.user()["subject"] == "demo")
    }

    @Test("of another instance's flow is refused like one of no flow")
    func otherInstance() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        for instance in ["second", "transaction", "standard:alice"] {
            await #expect(throws: BFFError.flowExpired) { try await browser.next(body, instance) }
            await #expect(throws: BFFError.flowExpired) { try await browser.flow(page, instance) }
            try await browser.cancel(page, instance)
        }
        #expect(try await browser.flow(page) == page)
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("of somebody else's flow is refused like one of no flow")
    func otherBrowser() async throws {
        let fixture = try Fixture()
        let victim = fixture.browser()
        let page = try await victim.start()
        let attacker = fixture.browser()
        try await attacker.start()
        for browser in [attacker, fixture.browser()] {
            await #expect(throws: BFFError.flowExpired) { try await browser.next(try Browser.login(page)) }
            await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
            try await browser.cancel(page)
        }
        #expect(try await victim.flow(page) == page)
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("whose call was cancelled inside is neither lost nor repeated")
    func cancelledInside() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        fixture.provider.script(.next, .cancelled)
        let page = try await browser.start()
        let body = try Browser.login(page)
        await #expect(throws: BFFError.cancelled) { try await browser.next(body) }
        await #expect(throws: BFFError.stepInProgress) { try await browser.next(body, within: .milliseconds(400)) }
        fixture.time.advance(by: .seconds(45))
        #expect(try await browser.next(body)["reason"] == "outcome-unknown")
        #expect(fixture.provider.count(.next) == 1)
    }
}
