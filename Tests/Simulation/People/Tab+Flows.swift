import HTTPCore
import JSON

/// What a start asks for.
struct Start: Sendable {
    var isForced: Bool
    var replaces = false
    /// What a step-up is for.
    var goal: String?
    /// Another journey than the client's first.
    var journey: String?
    /// Another policy of DaVinci.
    var policy: String?
    /// Whether no page of DaVinci may be shown.
    var isSilent = false

    init(_ numbers: inout SeededNumbers) {
        isForced = numbers.happens(0.5)
    }

    func body(_ instance: Instance) -> JSONObject {
        var body: JSONObject = [:]
        if isForced { body[instance.isDaVinci ? "prompt" : "forceAuth"] = instance.isDaVinci ? "login" : true }
        if isSilent { body["prompt"] = "none" }
        if replaces { body["replace"] = true }
        if let goal { body["for"] = .string(goal) }
        if let journey { body["journey"] = .string(journey) }
        if let policy { body["acrValues"] = [.string(policy)] }
        return body
    }
}

extension Tab {
    // MARK: Beginning

    /// Begins a flow.
    ///
    /// - Returns: The page that it shows; nil when there is none.
    func start(
        _ instance: Instance, _ start: Start, jar: Jar? = nil, _ numbers: inout SeededNumbers
    ) async -> JSONObject? {
        var request = Request("start", .post, "/bff/\(instance)/start")
        let body = start.body(instance)
        request.detail = " \(instance) \(body.text)"
        request.body = body
        request.instance = instance
        request.jar = jar
        request.disturbs = true
        if jar == nil { browser.expectations.unsure(instance) }
        let (answer, sent) = await browser.send(request, &numbers)
        return take(answer, request, instance, sent)
    }

    /// A node has come: a page is shown, and whoever is signed in sees it.
    @discardableResult
    func take(_ answer: Answer, _ request: Request, _ instance: Instance, _ sent: Sent) -> JSONObject? {
        guard let response = answer.response, let node = response.json?.object, response.status == 200 else {
            return nil
        }
        browser.judgeOldFlow(response, request, sent)
        if request.answers { browser.judgeSignedIn(response, instance, sent) }
        if request.begins, let flow = node["flow"]?.string {
            browser.flowsBegan[flow] = sent
            browser.flowSessions[flow] = response.cookies.compactMap(\.value).last.map(GivenCookie.tag)
        }
        if node["type"]?.string == "success" { noteSuccess(node, instance, sent) }
        guard ["continue", "error"].contains(node["type"]?.string ?? "") else { return nil }
        if !sent.isForeign { browser.pages.append((instance, node)) }
        return node
    }

    private func noteSuccess(_ node: JSONObject, _ instance: Instance, _ sent: Sent) {
        guard node["signedIn"]?.bool == true, let subject = node["user"]?["subject"]?.string, !sent.isForeign,
            let user = browser.user(of: subject, at: instance)
        else { return }
        guard ["standard", "workforce"].contains(instance.client) else { return }
        // A kept answer may be older than what has ended the sign-in since; that is looked at elsewhere.
        let newest = browser.cluster.ledger.newestGrant(of: [user], at: instance.client) ?? .zero
        // Another session's cookie may have taken the place of the one that this belongs to.
        let tags = Set(sent.jar.values.map { GivenCookie.tag(of: $0) })
        let isHeld = tags.isEmpty || browser.jar.values.contains { tags.contains(GivenCookie.tag(of: $0)) }
        if isHeld, newest >= browser.expectations.lastEnding {
            browser.expectations.signedIn(instance, user, at: world.now)
        } else {
            browser.expectations.forget(instance)
        }
    }

    // MARK: Answering

    /// What the user types into a page.
    func answers(
        to page: JSONObject, _ instance: Instance, isRight: Bool, _ numbers: inout SeededNumbers
    ) -> JSONObject {
        let users = browser.users(instance)
        let user = users.count > 1 && numbers.happens(0.08) ? users[1] : users[0]
        var values: JSONObject = [:]
        if instance.isDaVinci { return filled(page, user, isRight: isRight, &numbers) }
        for callback in page["callbacks"]?.array ?? [] {
            guard let id = callback["id"]?.string else { continue }
            if callback["type"]?.string == "NameCallback" { values[id] = .string(user) }
            guard callback["type"]?.string == "PasswordCallback" else { continue }
            let isCode = callback["prompt"]?.string?.contains("One Time") ?? false
            values[id] = .string(!isRight ? "wrong" : isCode ? Definition.oneTimeCode : Definition.password)
        }
        return ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": .object(values)]
    }

    /// Answers a page.
    ///
    /// - Returns: What comes of it; nil when no node came.
    @discardableResult
    func next(
        _ body: JSONObject, _ instance: Instance, jar: Jar? = nil, _ numbers: inout SeededNumbers
    ) async -> JSONObject? {
        var request = Request("next", .post, "/bff/\(instance)/next")
        request.detail = " \(instance) \(body["flow"]?.string?.prefix(7) ?? "") step \(body["step"]?.int ?? 0)"
        request.body = body
        request.instance = instance
        request.jar = jar
        request.disturbs = true
        if jar == nil {
            browser.sentAnswers.append((instance, body))
            browser.expectations.unsure(instance)
        }
        let (answer, sent) = await browser.send(request, &numbers)
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return nil }
        browser.judgeSameAnswer(body, node, instance, sent)
        take(answer, request, instance, sent)
        return node
    }

    func signIn(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.replaces = numbers.happens(0.2)
        guard let page = await start(instance, begin, &numbers) else { return }
        await walk(page, instance, isRight: numbers.happens(0.93), &numbers)
    }

    /// Answers pages until there are no more.
    ///
    /// - Returns: Whether that ended well.
    @discardableResult
    func walk(
        _ first: JSONObject, _ instance: Instance, isRight: Bool, _ numbers: inout SeededNumbers
    ) async -> Bool {
        var (page, isRight) = (first, isRight)
        for _ in 0..<4 {
            await world.pass(numbers.span(upTo: .seconds(2)))
            let body = answers(to: page, instance, isRight: isRight, &numbers)
            var node = await next(body, instance, &numbers)
            if node == nil, numbers.happens(0.7) {
                // No answer came: the same again, as of a user who presses the button twice.
                await world.pass(numbers.span(upTo: .seconds(3)))
                node = await next(body, instance, &numbers)
            }
            guard let node, ["continue", "error"].contains(node["type"]?.string ?? ""), node.waitQuestion == nil else {
                return node?["type"]?.string == "success"
            }
            page = node
            // The page stays after what was wrong.
            if node["type"]?.string == "error" { isRight = true }
        }
        return false
    }

    func answerLastPage(isRight: Bool, _ numbers: inout SeededNumbers) async {
        guard let (instance, page) = browser.pages.last else { return }
        guard page.waitQuestion == nil else {
            await poll(page, instance, &numbers)
            return
        }
        let body = answers(to: page, instance, isRight: isRight, &numbers)
        await next(body, instance, &numbers)
    }

    func answerAgain(_ jar: Jar?, _ numbers: inout SeededNumbers) async {
        guard let last = browser.sentAnswers.last else { return }
        let (instance, body) = numbers.happens(0.7) ? last : numbers.pick(browser.sentAnswers)
        await next(body, instance, jar: jar, &numbers)
    }

    func answerTwice(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let body = answers(to: page, instance, isRight: true, &numbers)
        let seeds = [numbers.next(), numbers.next()]
        await withTaskGroup(of: Void.self) { group in
            for seed in seeds {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: .milliseconds(500)))
                    await next(body, instance, &numbers)
                }
            }
        }
    }

    /// Calls an API that needs more: `transactions`, or `orders`.
    func stepUp(_ path: String, _ numbers: inout SeededNumbers) async {
        await raise(apiRequest(path, numbers.happens(0.8) ? .get : .post, nil), &numbers)
    }

    /// A payment goes on as the very call that the policy refused, and now and then as another one.
    func pay(_ numbers: inout SeededNumbers) async {
        let call = apiRequest("payments", numbers.happens(0.8) ? .get : .post, nil, call: numbers.next())
        await raise(call, &numbers)
        guard numbers.happens(0.5) else { return }
        await api(apiRequest("payments", call.method, nil, call: numbers.next()), &numbers)
    }

    /// Makes a call, the step-up that it asks for, and the call again.
    private func raise(_ call: Request, _ numbers: inout SeededNumbers) async {
        guard let goal = await api(call, &numbers) else { return }
        let instance = Instance(call.instance?.isDaVinci == true ? "approver" : "transaction", account)
        var begin = Start(&numbers)
        begin.isForced = false
        begin.goal = goal
        guard let page = await start(instance, begin, &numbers) else { return }
        guard await walk(page, instance, isRight: numbers.happens(0.9), &numbers) else { return }
        await api(call, &numbers)
    }

    func signInWeak(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        if instance.isDaVinci { begin.policy = "SignOnForms" } else { begin.journey = "Login" }
        guard let page = await start(instance, begin, &numbers) else { return }
        await walk(page, instance, isRight: true, &numbers)
    }

    // MARK: Looking

    func readFlow(_ numbers: inout SeededNumbers) async {
        guard let (instance, page) = browser.pages.last, let flow = page["flow"]?.string else { return }
        await read(flow, instance, &numbers)
    }

    /// Reads a flow under an instance.
    func read(_ flow: String, _ instance: Instance, _ numbers: inout SeededNumbers) async {
        var request = Request("flow", .get, "/bff/\(instance)/flows/\(flow)")
        request.detail = " \(flow.prefix(7))"
        _ = await browser.send(request, &numbers)
    }

    func cancelFlow(_ numbers: inout SeededNumbers) async {
        guard let (instance, page) = browser.pages.popLast() else { return }
        await cancel(page, instance, &numbers)
    }

    /// A flow is answered and cancelled at once.
    func cancelWhileAnswered(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        guard let page = await start(instance, begin, &numbers) else { return }
        let body = answers(to: page, instance, isRight: true, &numbers)
        let (answering, cancelling) = (numbers.next(), numbers.next())
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var numbers = SeededNumbers(answering)
                await next(body, instance, &numbers)
            }
            group.addTask {
                var numbers = SeededNumbers(cancelling)
                await world.pass(numbers.span(upTo: .milliseconds(100)))
                await cancel(page, instance, &numbers)
            }
        }
    }

    private func cancel(_ page: JSONObject, _ instance: Instance, _ numbers: inout SeededNumbers) async {
        guard let flow = page["flow"]?.string else { return }
        var request = Request("cancel", .delete, "/bff/\(instance)/flows/\(flow)")
        request.detail = " \(flow.prefix(7))"
        let (answer, sent) = await browser.send(request, &numbers)
        if answer.response?.status == 204, browser.replaced(sent) == nil { browser.endedFlows[flow] = sent }
    }
}
