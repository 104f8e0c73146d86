import HTTPCore
import JSON

extension JSONObject {
    /// The question of a page that has this type.
    func question(_ type: String) -> JSONObject? {
        self["callbacks"]?.array?.first { $0["type"]?.string == type }?.object
    }
}

extension Tab {
    /// Signs in by a journey that waits for a device, which one or several tabs ask for.
    func waitForDevice(_ instance: Instance, tabs: Int, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = numbers.pick(["Polling", "Push"])
        guard let page = await start(instance, begin, &numbers) else { return }
        let body = answers(to: page, instance, isRight: true, &numbers)
        guard let waiting = await next(body, instance, &numbers), waiting.question("PollingWaitCallback") != nil else {
            return
        }
        let leaves = numbers.happens(0.2)
        let seeds = (0..<tabs).map { _ in numbers.next() }
        await withTaskGroup(of: Void.self) { group in
            for (place, seed) in seeds.enumerated() {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: .seconds(1)))
                    await pollToTheEnd(waiting, instance, leaves: leaves && place == 0, &numbers)
                }
            }
        }
        // A tab that has slept asks once more.
        guard numbers.happens(0.5) else { return }
        await world.pass(numbers.span(upTo: .seconds(20)))
        await poll(waiting, instance, &numbers)
    }

    private func pollToTheEnd(
        _ page: JSONObject, _ instance: Instance, leaves: Bool, _ numbers: inout SeededNumbers
    ) async {
        for round in 0..<12 {
            if leaves, round == 1 { return await leaveWait(page, instance, &numbers) }
            if let node = await poll(page, instance, &numbers), node.question("PollingWaitCallback") == nil {
                if node["type"]?.string == "continue" { await walk(node, instance, isRight: true, &numbers) }
                return
            }
            await world.pass(numbers.span(upTo: .seconds(3)))
        }
    }

    /// Takes the way out of a wait.
    private func leaveWait(_ page: JSONObject, _ instance: Instance, _ numbers: inout SeededNumbers) async {
        guard let flow = page["flow"]?.string, let exit = page.question("ConfirmationCallback")?["id"]?.string else {
            return
        }
        browser.exited.insert(flow)
        let values: JSONObject = [exit: 0]
        let body: JSONObject = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values),
        ]
        guard let node = await next(body, instance, &numbers), node["type"]?.string == "continue",
            node.question("PollingWaitCallback") == nil
        else { return }
        await walk(node, instance, isRight: true, &numbers)
    }

    /// Polls a page that waits, held or not.
    ///
    /// - Returns: What it shows now; nil when no node came.
    @discardableResult
    func poll(_ page: JSONObject, _ instance: Instance, _ numbers: inout SeededNumbers) async -> JSONObject? {
        guard let question = page.question("PollingWaitCallback")?["id"] else { return nil }
        let wait = numbers.pick([0, 0, 2, 8, 25])
        var request = Request("poll", .post, "/bff/\(instance)/next")
        request.detail =
            " \(instance) \(page["flow"]?.string?.prefix(7) ?? "") step \(page["step"]?.int ?? 0) for \(wait) s"
        request.body = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "action": question,
            "wait": JSONValue(Int64(wait)),
        ]
        request.wait = .seconds(wait)
        request.instance = instance
        request.disturbs = true
        browser.expectations.unsure(instance.account)
        let (answer, sent) = await browser.send(request, &numbers)
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return nil }
        browser.judgePoll(page, node, instance, sent)
        take(answer, request, instance, sent)
        return node
    }
}
