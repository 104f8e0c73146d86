import HTTPCore
import JSON

/// What two tabs do at the same moment, and what a page sends that was answered before.
private enum Overlap: CaseIterable {
    /// One page is answered in two ways at once.
    case twoAnswers
    /// A page that was answered is answered once more, otherwise.
    case otherAnswer
    /// Tokens that are due are used and renewed at once.
    case renewals
    /// Who has come back twice goes on with both.
    case arrivals
    /// A user signs out, and in again before the answer comes.
    case outAndIn
}

extension Tab {
    /// Does one of them.
    func overlap(_ numbers: inout SeededNumbers) async {
        let isDaVinci = browser.mix.hasDaVinci && numbers.happens(0.4)
        let instance = Instance(isDaVinci ? "workforce" : "standard", account)
        switch numbers.pick(Overlap.allCases) {
        case .twoAnswers: await answerInTwoWays(instance, &numbers)
        case .otherAnswer: await answerOtherwise(instance, &numbers)
        case .renewals: await renewAtOnce(instance, &numbers)
        case .arrivals: await arriveTwice(instance, &numbers)
        case .outAndIn: await signOutAndIn(instance, &numbers)
        }
    }

    private func atOnce(_ first: @escaping @Sendable () async -> Void, _ second: @escaping @Sendable () async -> Void)
        async
    {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await first() }
            group.addTask { await second() }
        }
    }

    private func answerInTwoWays(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let right = answers(to: page, instance, isRight: true, &numbers)
        let wrong = answers(to: page, instance, isRight: false, &numbers)
        let seeds = [numbers.next(), numbers.next()]
        let isFirst = numbers.happens(0.5)
        await atOnce {
            var numbers = SeededNumbers(seeds[0])
            await next(isFirst ? right : wrong, instance, &numbers)
        } _: {
            var numbers = SeededNumbers(seeds[1])
            await world.pass(numbers.span(upTo: .milliseconds(100)))
            await next(isFirst ? wrong : right, instance, &numbers)
        }
    }

    private func answerOtherwise(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let right = answers(to: page, instance, isRight: true, &numbers)
        await next(right, instance, &numbers)
        await world.pass(numbers.span(upTo: .seconds(5)))
        await next(answers(to: page, instance, isRight: false, &numbers), instance, &numbers)
    }

    /// Once a token is due, one tab only uses it, and the other one wants a new one.
    private func renewAtOnce(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        await signIn(instance, &numbers)
        await world.pass(Definition.tokenLife - .seconds(58))
        let seeds = [numbers.next(), numbers.next(), numbers.next()]
        await withTaskGroup(of: Void.self) { group in
            for (place, seed) in seeds.enumerated() {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: .milliseconds(place == 0 ? 5 : 80)))
                    place == 2 ? await refresh(instance, &numbers) : await user(instance, &numbers)
                }
            }
        }
    }

    /// Signs out and in again; the answer to the logout is long on its way.
    private func signOutAndIn(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        let seeds = [numbers.next(), numbers.next()]
        await atOnce {
            var numbers = SeededNumbers(seeds[0])
            await logoutAll(nil, nil, isSlow: true, &numbers)
        } _: {
            var numbers = SeededNumbers(seeds[1])
            await world.pass(.milliseconds(300))
            await signIn(instance, &numbers)
        }
    }
}
