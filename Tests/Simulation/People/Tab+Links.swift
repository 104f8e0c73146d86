import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON

extension Tab {
    /// Signs in by a link that is sent: opened here, in another browser of the same people, or in both.
    func signInByLink(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = "EmailLink"
        guard let page = await start(instance, begin, &numbers) else { return }
        let body = answers(to: page, instance, isRight: true, &numbers)
        guard let link = await link(by: body, instance, &numbers) else { return }
        await world.pass(numbers.span(upTo: .seconds(numbers.happens(0.1) ? 400 : 20)))
        let places = numbers.pick([[false], [false], [true], [true], [false, true], [false, false], [true, true]])
        if places.count == 2, numbers.happens(0.5) {
            let seeds = places.map { (isElsewhere: $0, seed: numbers.next()) }
            await withTaskGroup(of: Void.self) { group in
                for place in seeds {
                    group.addTask {
                        var numbers = SeededNumbers(place.seed)
                        await world.pass(numbers.span(upTo: .milliseconds(300)))
                        await open(link, instance, isElsewhere: place.isElsewhere, &numbers)
                    }
                }
            }
        } else {
            for isElsewhere in places { await open(link, instance, isElsewhere: isElsewhere, &numbers) }
        }
    }

    /// Has a link sent by the answer to the first page of its journey.
    ///
    /// - Returns: The link; nil when none was sent.
    private func link(
        by body: JSONObject, _ instance: Instance, _ numbers: inout SeededNumbers
    ) async -> String? {
        let name = body["values"]?.object?.first { $0.value.string?.hasPrefix("user") == true }?.value.string ?? ""
        return await next(body, instance, &numbers) == nil ? nil : await newestLink(of: name)
    }

    /// Has a link sent to a user of the instance.
    private func link(to user: String, _ instance: Instance, _ numbers: inout SeededNumbers) async -> String? {
        var begin = Start(&numbers)
        begin.isForced = true
        begin.journey = "EmailLink"
        guard let page = await start(instance, begin, &numbers) else { return nil }
        return await link(by: answers(to: page, instance, as: user, &numbers), instance, &numbers)
    }

    /// The answers of a given user to a page.
    func answers(
        to page: JSONObject, _ instance: Instance, as user: String, _ numbers: inout SeededNumbers
    ) -> JSONObject {
        var body = answers(to: page, instance, isRight: true, &numbers)
        let typed = browser.users(instance)
        var values = body["values"]?.object ?? [:]
        for (name, value) in values where value.string.map(typed.contains) == true { values[name] = .string(user) }
        body["values"] = .object(values)
        return body
    }

    /// Opens a link in another browser, where nothing but one sign-in is, at the moment at which that signs out.
    func openWhileSigningOut(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        let user = browser.users(instance)[0]
        guard let first = await link(to: user, instance, &numbers) else { return }
        await open(first, instance, isElsewhere: true, &numbers)
        guard let second = await link(to: user, instance, &numbers) else { return }
        let seeds = [numbers.next(), numbers.next()]
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                var numbers = SeededNumbers(seeds[0])
                await open(second, instance, isElsewhere: true, &numbers)
            }
            group.addTask {
                var numbers = SeededNumbers(seeds[1])
                await world.pass(numbers.span(upTo: .milliseconds(200)))
                await logoutAll(nil, browser.otherJar, &numbers)
            }
        }
    }

    /// Opens a link of another user than the one who is signed in, here or in another browser, and answers the question
    /// that comes.
    func signInOverAnother(_ numbers: inout SeededNumbers) async {
        // Only the default account has two users.
        let instance = Instance("standard")
        let isElsewhere = numbers.happens(0.5)
        let users = browser.users(instance)
        if isElsewhere, let first = await link(to: users[0], instance, &numbers) {
            await open(first, instance, isElsewhere: true, &numbers)
        } else {
            await signIn(instance, &numbers)
        }
        guard let link = await link(to: users[1], instance, &numbers) else { return }
        await world.pass(numbers.span(upTo: .seconds(5)))
        await open(link, instance, isElsewhere: isElsewhere, &numbers)
    }

    /// The answer of a user to the question of a link that would sign in another user.
    private enum Reply: CaseIterable {
        case yes
        case yesTwice
        case yesAndNo
        case no
        /// The page is loaded again, and then confirmed.
        case looks
        /// The time for it is over.
        case late
        /// The user has signed out.
        case signsOut
        /// A cookie that was replaced, or one of another browser.
        case otherCookie
        case nothing
    }

    private func reply(
        to question: JSONValue, _ instance: Instance, isElsewhere: Bool, _ numbers: inout SeededNumbers
    ) async {
        browser.noteQuestion(question)
        let kind = numbers.happens(0.4) ? .yes : numbers.pick(Reply.allCases)
        await world.pass(kind == .late ? .seconds(160) : numbers.span(upTo: .seconds(3)))
        let yes: @Sendable (inout SeededNumbers) async -> Void = { numbers in
            await say(to: question, instance, isElsewhere ? .other : .own, &numbers)
        }
        let no: @Sendable (inout SeededNumbers) async -> Void = { numbers in
            await decline(question, instance, isElsewhere ? browser.otherJar : nil, &numbers)
        }
        switch kind {
        case .yes, .late: await yes(&numbers)
        case .yesTwice: await together([yes, yes], &numbers)
        case .yesAndNo: await together([yes, no], &numbers)
        case .no:
            await no(&numbers)
            if numbers.happens(0.5) { await yes(&numbers) }
        case .looks:
            if !isElsewhere { await read(question["flow"]?.string ?? "", instance, &numbers) }
            await yes(&numbers)
        case .signsOut:
            if !isElsewhere { await logoutAll(nil, nil, &numbers) }
            await yes(&numbers)
        case .otherCookie: await say(to: question, instance, .old, &numbers)
        case .nothing: return
        }
    }

    /// Whose cookies a confirmation comes with.
    private enum Bearer {
        case own
        case other
        case old
    }

    /// Confirms that a link signs in another user.
    private func say(
        to question: JSONValue, _ instance: Instance, _ bearer: Bearer, _ numbers: inout SeededNumbers
    ) async {
        var request = Request("next", .post, "/bff/\(instance)/next")
        let flow = question["flow"]?.string ?? ""
        request.detail = " \(instance) \(flow.prefix(7)) confirms"
        request.body = ["flow": question["flow"] ?? .null, "step": question["step"] ?? .null, "confirm": true]
        (request.instance, request.disturbs, request.isElsewhere) = (instance, true, bearer != .own)
        switch bearer {
        case .own: browser.expectations.unsure(instance)
        case .other: request.jar = browser.otherJar
        case .old: request.jar = oldJar(&numbers) ?? Jar()
        }
        let (answer, sent) = await browser.send(request, &numbers)
        if bearer == .other { keepElsewhere(answer) }
        if let again = answer.response?.json?["confirm"] { browser.noteQuestion(again) }
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return }
        browser.judgeConfirmed(flow, node, sent)
        take(answer, request, instance, sent)
    }

    private func decline(
        _ question: JSONValue, _ instance: Instance, _ jar: Jar?, _ numbers: inout SeededNumbers
    ) async {
        let flow = question["flow"]?.string ?? ""
        var request = Request("cancel", .delete, "/bff/\(instance)/flows/\(flow)")
        (request.detail, request.jar) = (" \(flow.prefix(7))", jar)
        let (answer, sent) = await browser.send(request, &numbers)
        if answer.response?.status == 204, browser.replaced(sent) == nil { browser.endedFlows[flow] = sent }
    }

    private func keepElsewhere(_ answer: Answer) {
        for (name, value) in answer.response?.cookies ?? [] { browser.otherJar.set(name, value) }
    }

    /// What the link says that was sent to a user last.
    private func newestLink(of user: String) async -> String? {
        let answer = await browser.cluster.provider.answer(
            ServerRequest(
                method: .get, target: "/simulator/outbox",
                headers: RequestHeaders([(name: "Host", value: "am.example.com")])))
        let message = Response(answer).json?["messages"]?.array?.first { $0["to"]?.string == user + "@example.com" }
        return message?["suspendedId"]?.string
    }

    private func open(
        _ link: String, _ instance: Instance, isElsewhere: Bool, _ numbers: inout SeededNumbers
    ) async {
        var request = Request("link", .post, "/bff/\(instance)/resume")
        request.detail = " \(instance)\(isElsewhere ? " in another browser" : "")"
        request.body =
            numbers.happens(0.5)
            ? ["suspendedId": .string(link)]
            : ["uri": .string("https://app.example.com/?realm=%2Falpha&suspendedId=" + link)]
        request.instance = instance
        request.isElsewhere = isElsewhere
        request.disturbs = true
        if isElsewhere { request.jar = browser.otherJar } else { browser.expectations.unsure(instance) }
        let (answer, sent) = await browser.send(request, &numbers)
        if isElsewhere { keepElsewhere(answer) }
        if let question = answer.response?.json?["confirm"] {
            browser.flowsBegan[question["flow"]?.string ?? ""] = sent
            return await reply(to: question, instance, isElsewhere: isElsewhere, &numbers)
        }
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return }
        browser.judgeLink(link, node, sent)
        take(answer, request, instance, sent)
    }
}
