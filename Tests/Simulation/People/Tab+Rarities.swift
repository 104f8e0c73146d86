import BFF
import JSON

/// Things that seldom come together by chance, each done on purpose.
private enum Rarity {
    /// A flow is asked for under another account of its client.
    case otherAccount
    /// A client with an idle timeout of its own is used for longer than that, again and again.
    case kiosk
    /// The tokens of a step-up are renewed, and used until its limit and after it.
    case renewedStepUp
    /// APIs are called at the moment at which a sign-in replaces the cookie.
    case callsMeanwhile
    /// Another user signs in than the one who is there, without being asked to take their place.
    case otherUser
    /// The answer that has signed in is sent again after the logout, while another account stays.
    case answerAfterLogout
    // In worlds in which users leave and open links.
    /// A page is left once more while what was brought back is on its way.
    case leavesMeanwhile
    /// A page is left with the cookie from before a sign-in.
    case leavesWithOldCookie
    /// A link signs in another user than the one who is there.
    case linkOfAnother
    /// A link signs in at the moment at which the last one of the session signs out.
    case linkWhileSigningOut
    // Where there is something for it.
    /// Another provider of PingOne's refuses the sign-in.
    case refused
    /// A machine is told to stop while it holds a poll.
    case stopsMeanwhile
    /// The session is used for longer than it lives without use.
    case staysAtWork
}

extension Tab {
    private var rarities: [Rarity] {
        let mix = browser.mix
        var all: [Rarity] = [.otherAccount, .kiosk, .renewedStepUp, .callsMeanwhile, .otherUser, .answerAfterLogout]
        if mix.hasJourneys {
            all += [
                .leavesMeanwhile, .leavesMeanwhile, .leavesWithOldCookie, .linkOfAnother, .linkOfAnother,
                .linkWhileSigningOut,
            ]
        }
        if mix.hasDaVinci { all.append(.refused) }
        if mix.wider.drains > 0 { all += Array(repeating: .stopsMeanwhile, count: 6) }
        if mix.hasLongPauses { all += Array(repeating: .staysAtWork, count: 4) }
        return all
    }

    /// The other account of the same client.
    private func sibling(_ instance: Instance) -> Instance {
        Instance(instance.client, instance.account.isEmpty ? "alice" : "")
    }

    /// Does one of them.
    func doWhatIsRare(_ numbers: inout SeededNumbers) async {
        let isDaVinci = browser.mix.hasDaVinci && numbers.happens(0.4)
        let instance = Instance(isDaVinci ? "workforce" : "standard", account)
        switch numbers.pick(rarities) {
        case .otherAccount: await askUnderAnotherAccount(instance, &numbers)
        case .kiosk: await useKiosk(&numbers)
        case .renewedStepUp: await renewStepUp(isDaVinci ? "orders" : "transactions", &numbers)
        case .callsMeanwhile: await callWhileSigningIn(instance, &numbers)
        case .otherUser: await signInAsAnother(Instance(instance.client), &numbers)
        case .answerAfterLogout: await answerAfterLogout(instance, &numbers)
        case .leavesMeanwhile: await leaveWhileResumed(Instance("standard", account), &numbers)
        case .leavesWithOldCookie: await leaveWithOldCookie(Instance("standard", account), &numbers)
        case .linkWhileSigningOut: await openWhileSigningOut(Instance("standard", account), &numbers)
        case .linkOfAnother: await signInOverAnother(&numbers)
        case .refused: await signInElsewhere(Instance("workforce", account), by: .refuses, &numbers)
        case .stopsMeanwhile: await pollWhileStopping(&numbers)
        case .staysAtWork: await stayAtWork(instance, &numbers)
        }
    }

    private func askUnderAnotherAccount(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string else { return }
        let other = sibling(instance)
        if numbers.happens(0.7) {
            await read(flow, other, &numbers)
        } else {
            await next(answers(to: page, other, isRight: true, &numbers), other, &numbers)
        }
        await walk(page, instance, isRight: true, &numbers)
    }

    private func useKiosk(_ numbers: inout SeededNumbers) async {
        let kiosk = Instance("kiosk")
        await signIn(kiosk, &numbers)
        for _ in 0..<8 {
            await world.pass(Definition.kioskIdle / 6)
            await user(kiosk, &numbers)
        }
    }

    private func renewStepUp(_ path: String, _ numbers: inout SeededNumbers) async {
        let client = path == "orders" ? "workforce" : "standard"
        if numbers.happens(0.7) { await signIn(Instance(client, account), &numbers) }
        await stepUp(path, &numbers)
        let elevated = Instance(path == "orders" ? "approver" : "transaction", account)
        for _ in 0..<5 {
            await world.pass(numbers.span(upTo: Definition.elevatedLimit / 3))
            switch numbers.below(4) {
            case 0: await user(elevated, &numbers)
            case 1: await api(path, nil, &numbers)
            default: await refresh(elevated, &numbers)
            }
        }
        await world.pass(Definition.storing)
        await api(path, nil, &numbers)
    }

    private func callWhileSigningIn(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        await signIn(instance, &numbers)
        await user(instance, &numbers)
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let body = answers(to: page, instance, isRight: true, &numbers)
        let path = instance.isDaVinci ? "work" : "accounts"
        let seeds = (0..<10).map { _ in numbers.next() }
        await withTaskGroup(of: Void.self) { group in
            for (place, seed) in seeds.enumerated() {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    guard place > 0 else {
                        await next(body, instance, &numbers)
                        return
                    }
                    await world.pass(numbers.span(upTo: .milliseconds(400)))
                    await api(path, nil, &numbers)
                }
            }
        }
    }

    private func signInAsAnother(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        await signIn(instance, &numbers)
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let users = browser.users(instance)
        let body = answers(to: page, instance, as: users[users.count - 1], &numbers)
        let began = world.now
        guard let subject = await told(instance, &numbers)?.subject else { return }
        let node = await next(body, instance, &numbers)
        guard let new = node?["user"]?["subject"]?.string else { return }
        browser.judgeUnasked(instance, new, over: subject, since: began)
    }

    private func answerAfterLogout(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        await signIn(sibling(instance), &numbers)
        await signIn(instance, &numbers)
        guard let (last, body) = browser.sentAnswers.last(where: { $0.instance == instance }) else { return }
        await user(instance, &numbers)
        await logout(instance, isShared: numbers.happens(0.5), &numbers)
        await next(body, last, &numbers)
    }

    private func leaveWhileResumed(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = "Social"
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string,
            let go = page.departure, let away = await leave(go, instance, flow, twice: false, &numbers),
            let back = await decide(away, instance, refuses: false),
            let handle = await open(back, browser.jar.fromElsewhere, instance.client, flow, &numbers),
            let again = await readGo(flow, instance, &numbers)
        else { return }
        let seeds = [numbers.next(), numbers.next()]
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var numbers = SeededNumbers(seeds[0])
                await resume(handle, instance, flow, nil, isHeldBack: true, &numbers)
            }
            group.addTask {
                var numbers = SeededNumbers(seeds[1])
                await world.pass(.milliseconds(50) + numbers.span(upTo: .milliseconds(250)))
                await leave(again, instance, flow, twice: false, &numbers)
            }
        }
    }

    private func leaveWithOldCookie(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = "Social"
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string,
            let go = page.departure
        else { return }
        let old = browser.jar
        await signIn(instance, &numbers)
        await user(instance, &numbers)
        await leave(go, instance, flow, twice: false, jar: old, &numbers)
    }

    private func pollWhileStopping(_ numbers: inout SeededNumbers) async {
        let instance = Instance("standard", account)
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = "Polling"
        guard var page = await start(instance, begin, &numbers) else { return }
        for _ in 0..<2 where page.waitQuestion == nil {
            let body = answers(to: page, instance, isRight: true, &numbers)
            guard let node = await next(body, instance, &numbers), node["type"]?.string == "continue" else { return }
            page = node
        }
        guard page.waitQuestion != nil else { return }
        let waiting = page
        let seed = numbers.next()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var numbers = SeededNumbers(seed)
                await poll(waiting, instance, for: 25, &numbers)
            }
            await world.pass(.milliseconds(100) + numbers.span(upTo: .seconds(2)))
            browser.cluster.drain(numbers.below(browser.mix.machines))
        }
    }

    private func stayAtWork(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        await signIn(instance, &numbers)
        let idle = browser.cluster.definition.sessions.idle
        for _ in 0..<5 {
            await world.pass(idle / 3 + numbers.span(upTo: idle / 6))
            await api(instance.isDaVinci ? "work" : "accounts", nil, &numbers)
        }
    }
}
