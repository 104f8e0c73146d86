import HTTPCore
import JSON

extension JSONObject {
    /// The questions of a page.
    var questions: [JSONObject] { ((self["callbacks"] ?? self["collectors"])?.array ?? []).compactMap(\.object) }

    /// The question of a page that has this type.
    func question(_ type: String) -> JSONObject? { questions.first { $0["type"]?.string == type } }

    /// What a page waits for that is polled.
    var waitQuestion: JSONObject? { question("PollingWaitCallback") ?? question("PollingCollector") }
}

extension Tab {
    /// Signs in by a journey that waits for a device, which one or several tabs ask for.
    func waitForDevice(_ instance: Instance, tabs: Int, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        if instance.isDaVinci {
            begin.policy = numbers.pick(["Push", "Approval"])
        } else {
            begin.journey = numbers.pick(["Polling", "Push"])
        }
        guard var waiting = await start(instance, begin, &numbers) else { return }
        // A policy may ask which device first.
        for _ in 0..<2 where waiting.waitQuestion == nil {
            let body = answers(to: waiting, instance, isRight: true, &numbers)
            guard let node = await next(body, instance, &numbers), node["type"]?.string == "continue" else { return }
            waiting = node
        }
        guard waiting.waitQuestion != nil else { return }
        let page = waiting
        let leaves = numbers.happens(0.2)
        let seeds = (0..<tabs).map { _ in numbers.next() }
        await withTaskGroup(of: Void.self) { group in
            for (place, seed) in seeds.enumerated() {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: .seconds(1)))
                    await pollToTheEnd(page, instance, leaves: leaves && place == 0, &numbers)
                }
            }
        }
        // A tab that has slept asks once more.
        guard numbers.happens(0.5) else { return }
        await world.pass(numbers.span(upTo: .seconds(20)))
        await poll(page, instance, &numbers)
    }

    private func pollToTheEnd(
        _ page: JSONObject, _ instance: Instance, leaves: Bool, _ numbers: inout SeededNumbers
    ) async {
        for round in 0..<12 {
            if leaves, round == 1 { return await leaveWait(page, instance, &numbers) }
            if let node = await poll(page, instance, &numbers) {
                // It was said that nobody has confirmed it: the page stays.
                if node["type"]?.string == "error" { return await leaveWait(node, instance, &numbers) }
                guard node.waitQuestion == nil else {
                    await world.pass(numbers.span(upTo: .seconds(3)))
                    continue
                }
                if node["type"]?.string == "continue" { await walk(node, instance, isRight: true, &numbers) }
                return
            }
            await world.pass(numbers.span(upTo: .seconds(3)))
        }
    }

    /// Takes the way out of a wait.
    private func leaveWait(_ page: JSONObject, _ instance: Instance, _ numbers: inout SeededNumbers) async {
        guard let flow = page["flow"]?.string,
            let exit = (page.question("ConfirmationCallback") ?? page.question("FlowCollector"))?["id"]?.string
        else { return }
        browser.exited.insert(flow)
        let values: JSONObject = instance.isDaVinci ? [:] : [exit: 0]
        var body: JSONObject = [
            "flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values),
        ]
        if instance.isDaVinci { body["action"] = .string(exit) }
        guard let node = await next(body, instance, &numbers), node["type"]?.string == "continue",
            node.waitQuestion == nil
        else { return }
        await walk(node, instance, isRight: true, &numbers)
    }

    /// Polls a page that waits, held or not.
    ///
    /// - Returns: What it shows now; nil when no node came.
    @discardableResult
    func poll(
        _ page: JSONObject, _ instance: Instance, for seconds: Int? = nil, _ numbers: inout SeededNumbers
    ) async -> JSONObject? {
        guard let question = page.waitQuestion?["id"] else { return nil }
        let wait = seconds ?? numbers.pick([0, 0, 2, 8, 25])
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
        browser.expectations.unsure(instance)
        let (answer, sent) = await browser.send(request, &numbers)
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return nil }
        browser.judgePoll(page, node, instance, sent)
        take(answer, request, instance, sent)
        return node
    }
}
