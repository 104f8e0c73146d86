import HTTPCore

/// One tab of a browser, which follows its script.
struct Tab: Sendable {
    let browser: Browser
    let account: String

    var world: World { browser.world }

    func run(_ script: Script, without: Set<String>) async {
        for step in script.steps where !without.contains(step.id) {
            await world.pass(step.instant.map { max(.zero, $0 - world.now) } ?? step.pause)
            guard !world.isEnding else { return }
            world.note("b\(browser.number) \(step.id) \(step.operation)")
            var numbers = SeededNumbers(step.seed)
            await perform(step.operation, &numbers)
        }
    }

    private func perform(_ operation: Operation, _ numbers: inout SeededNumbers) async {
        switch operation {
        case .signIn: await signIn(instance("standard", &numbers), &numbers)
        case .signInOther: await signIn(instance("other", &numbers), &numbers)
        case .signInKiosk:
            await signIn(Instance("kiosk"), &numbers)
            await user(Instance("kiosk"), &numbers)
        case .start: _ = await start(instance("standard", &numbers), Start(&numbers), &numbers)
        case .answer: await answerLastPage(isRight: true, &numbers)
        case .answerWrong: await answerLastPage(isRight: false, &numbers)
        case .answerAgain: await answerAgain(nil, &numbers)
        case .answerTwice: await answerTwice(instance("standard", &numbers), &numbers)
        case .readFlow: await readFlow(&numbers)
        case .cancelFlow:
            numbers.happens(0.5)
                ? await cancelFlow(&numbers) : await cancelWhileAnswered(instance("standard", &numbers), &numbers)
        case .session: _ = await browser.send(Request("session", .get, "/bff/session"), &numbers)
        case .stepUp: await stepUp("transactions", &numbers)
        case .pay: await pay(&numbers)
        case .signInWeak: await signInWeak(instance("transaction", &numbers), &numbers)
        case .revoke: await revoke(instance(numbers.pick(["standard", "other"]), &numbers), &numbers)
        case .logout:
            await logout(instance(numbers.pick(["standard", "transaction"]), &numbers), isShared: false, &numbers)
        case .logoutShared:
            await logout(instance(numbers.pick(["standard", "transaction"]), &numbers), isShared: true, &numbers)
        case .logoutAll: await logoutAll(numbers.happens(0.5) ? nil : account, nil, &numbers)
        default: await use(operation, &numbers)
        }
    }

    private func use(_ operation: Operation, _ numbers: inout SeededNumbers) async {
        switch operation {
        case .user: await user(instance(numbers.pick(["standard", "standard", "other"]), &numbers), &numbers)
        case .userLimited:
            await user(
                numbers.happens(0.5) ? Instance("kiosk") : instance("transaction", &numbers), &numbers)
        case .userAsked: await user(instance("standard", &numbers), isAsked: true, &numbers)
        case .refresh: await refresh(instance(numbers.pick(["standard", "standard", "other"]), &numbers), &numbers)
        case .api: await api("accounts", nil, &numbers)
        case .apiPublic: await api("public", nil, &numbers)
        case .oldUser: if let jar = oldJar(&numbers) { await user(Instance("standard"), jar: jar, &numbers) }
        case .oldApi: if let jar = oldJar(&numbers) { await api("transactions", jar, &numbers) }
        case .oldStart:
            if let jar = oldJar(&numbers) { _ = await start(Instance("standard"), Start(&numbers), jar: jar, &numbers) }
        case .oldAnswer: if let jar = oldJar(&numbers) { await answerAgain(jar, &numbers) }
        case .oldLogout: if let jar = oldJar(&numbers) { await logoutAll(nil, jar, &numbers) }
        case .steal: browser.stolen = browser.jar
        case .useStolen:
            guard let jar = browser.stolen else { return }
            await user(Instance("standard"), jar: jar, &numbers)
            await api("accounts", jar, &numbers)
        case .poll: await waitForDevice(Instance("standard", account), tabs: 1, &numbers)
        case .pollTogether: await waitForDevice(Instance("standard", account), tabs: 2 + numbers.below(2), &numbers)
        case .social: await signInElsewhere(Instance("standard", account), &numbers)
        case .together: await actTogether(&numbers)
        case .mailLink: await signInByLink(Instance("standard", account), &numbers)
        case .overlap: await overlap(&numbers)
        case .rarity: await doWhatIsRare(&numbers)
        default: await atDaVinci(operation, &numbers)
        }
    }

    /// An instance of a client, for the account of the tab most of the time.
    func instance(_ client: String, _ numbers: inout SeededNumbers) -> Instance {
        Instance(client, numbers.happens(0.7) ? account : "")
    }

    /// A jar with one cookie that the server gave out at some time; nil when it has given none.
    func oldJar(_ numbers: inout SeededNumbers) -> Jar? {
        guard !browser.given.isEmpty else { return nil }
        let cookie = numbers.pick(browser.given)
        var jar = Jar()
        jar.set(cookie.name, cookie.value)
        return jar
    }
}
