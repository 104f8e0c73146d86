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
        let name = body["values"]?.object?.first { $0.value.string?.hasPrefix("user") == true }?.value.string ?? ""
        guard await next(body, instance, &numbers) != nil, let link = await newestLink(of: name) else { return }
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
        if isElsewhere {
            for (name, value) in answer.response?.cookies ?? [] { browser.otherJar.set(name, value) }
        }
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return }
        browser.judgeLink(link, node, sent)
        take(answer, request, instance, sent)
    }
}
