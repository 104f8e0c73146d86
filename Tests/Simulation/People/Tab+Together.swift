import HTTPCore
import JSON

extension Tab {
    /// Does the same twice at one moment, as two tabs do that wake up together.
    func actTogether(_ numbers: inout SeededNumbers) async {
        let isDaVinci = browser.mix.hasDaVinci && numbers.happens(0.4)
        let instance = Instance(isDaVinci ? "workforce" : "standard", account)
        switch numbers.below(browser.mix.hasJourneys || isDaVinci ? 7 : 4) {
        case 0, 1: await renewTogether(instance, &numbers)
        case 2: await startTogether(instance, &numbers)
        case 3: await endTogether(instance, &numbers)
        case 4, 5: await pollAtOnce(instance, &numbers)
        default: await arriveTogether(instance, &numbers)
        }
    }

    /// Has several things done at one moment, give or take some milliseconds.
    func together(_ works: [@Sendable (inout SeededNumbers) async -> Void], _ numbers: inout SeededNumbers) async {
        let spread = Duration.milliseconds(numbers.pick([1, 30, 400]))
        let seeds = works.map { _ in numbers.next() }
        await withTaskGroup(of: Void.self) { group in
            for (work, seed) in zip(works, seeds) {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: spread))
                    await work(&numbers)
                }
            }
        }
    }

    /// New tokens are asked for, and needed, at once.
    private func renewTogether(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        let path = instance.isDaVinci ? "work" : "accounts"
        if numbers.happens(0.4) { await world.pass(Definition.tokenLife - .seconds(50)) }
        world.record.count(.check, "forced and unforced renewals at once")
        var works: [@Sendable (inout SeededNumbers) async -> Void] = [
            { numbers in await refresh(instance, &numbers) },
            { numbers in await api(path, nil, &numbers) },
        ]
        if numbers.happens(0.5) {
            works.append { numbers in await refresh(instance, &numbers) }
        } else {
            works.append { numbers in await user(instance, &numbers) }
        }
        await together(works, &numbers)
    }

    private func startTogether(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = numbers.happens(0.5)
        let start = begin
        await together(
            [
                { numbers in _ = await self.start(instance, start, &numbers) },
                { numbers in _ = await self.start(instance, start, &numbers) },
            ], &numbers)
    }

    private func endTogether(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        guard numbers.happens(0.5) else { return await user(instance, &numbers) }
        await together(
            [
                { numbers in await revoke(instance, &numbers) },
                { numbers in await logout(instance, isShared: false, &numbers) },
            ], &numbers)
    }

    /// Two polls of one page, at one moment.
    private func pollAtOnce(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        if instance.isDaVinci { begin.policy = "Push" } else { begin.journey = numbers.pick(["Polling", "Push"]) }
        guard var page = await start(instance, begin, &numbers) else { return }
        for _ in 0..<2 where page.waitQuestion == nil {
            let body = answers(to: page, instance, isRight: true, &numbers)
            guard let node = await next(body, instance, &numbers), node["type"]?.string == "continue" else { return }
            page = node
        }
        guard page.waitQuestion != nil else { return }
        let waiting = page
        for _ in 0..<4 {
            world.record.count(.check, "two polls at once")
            await together(
                [
                    { numbers in _ = await poll(waiting, instance, &numbers) },
                    { numbers in _ = await poll(waiting, instance, &numbers) },
                ], &numbers)
            await world.pass(Definition.pollingWait)
        }
    }
}
