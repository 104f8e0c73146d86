import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON

/// What somebody does otherwise who signs in at another site.
enum Detour: CaseIterable {
    case none
    /// The page is left twice at once.
    case leavesTwice
    /// The page is read again, and left once more by its new handle.
    case leavesAgain
    case refuses
    /// Another `state` is brought back, and then the right one.
    case wrongState
    /// The cookie by which somebody is known who comes back is gone.
    case loses
    /// The other site sends a form.
    case form
    /// The address that leads back is opened twice.
    case returnsTwice
    case resumesTwice
    /// Somebody else has got hold of what was brought back.
    case handleElsewhere
    /// Nobody goes on.
    case staysAway
}

extension JSONObject {
    /// By which path a page is left.
    var departure: String? { (question("RedirectCallback") ?? question("IdpCollector"))?["go"]?.string }
}

extension Tab {
    /// Signs in at another site: out, back and on.
    func signInElsewhere(
        _ instance: Instance, by chosen: Detour? = nil, _ numbers: inout SeededNumbers
    ) async {
        var begin = Start(&numbers)
        begin.isForced = true
        if instance.isDaVinci { begin.policy = "Social" } else { begin.journey = "Social" }
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string,
            let go = page.departure
        else { return }
        var detour = chosen ?? (numbers.happens(0.3) ? Detour.none : numbers.pick(Detour.allCases))
        // PingOne says nothing of where somebody has left.
        if detour == .wrongState, instance.isDaVinci { detour = .returnsTwice }
        await world.pass(numbers.span(upTo: .seconds(2)))
        var away = await leave(go, instance, flow, twice: detour == .leavesTwice, &numbers)
        if detour == .leavesAgain || away == nil, let again = await readGo(flow, instance, &numbers) {
            away = await leave(again, instance, flow, twice: false, &numbers) ?? away
        }
        guard let away, let back = await decide(away, instance, refuses: detour == .refuses) else { return }
        if detour == .refuses { browser.refused.insert(flow) }
        await world.pass(numbers.span(upTo: .seconds(numbers.happens(0.1) ? 400 : 10)))
        guard detour != .staysAway else { return }
        if let handle = await comeBack(back, instance, flow, detour, &numbers) {
            await goOn(handle, instance, flow, detour, &numbers)
        }
    }

    /// Comes back twice at one moment, and goes on with both handles at one moment.
    func arriveTogether(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        if instance.isDaVinci { begin.policy = "Social" } else { begin.journey = "Social" }
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string,
            let go = page.departure, let away = await leave(go, instance, flow, twice: false, &numbers),
            let back = await decide(away, instance, refuses: false)
        else { return }
        let handles = Handles()
        let arrive: @Sendable (inout SeededNumbers) async -> Void = { numbers in
            let handle = await open(back, browser.jar.fromElsewhere, instance.client, nil, &numbers)
            if let handle { handles.all.append(handle) }
        }
        await together([arrive, arrive], &numbers)
        guard handles.all.count == 2 else { return }
        world.record.count(.check, "two arrivals at once")
        let both = handles.all
        await together(
            both.map { handle in { numbers in await resume(handle, instance, flow, nil, &numbers) } }, &numbers)
    }

    /// Comes back twice, and goes on with both handles at once.
    func arriveTwice(_ instance: Instance, _ numbers: inout SeededNumbers) async {
        var begin = Start(&numbers)
        begin.isForced = true
        if instance.isDaVinci { begin.policy = "Social" } else { begin.journey = "Social" }
        guard let page = await start(instance, begin, &numbers), let flow = page["flow"]?.string,
            let go = page.departure, let away = await leave(go, instance, flow, twice: false, &numbers),
            let back = await decide(away, instance, refuses: false)
        else { return }
        var handles: [String] = []
        for _ in 0..<2 {
            guard let handle = await open(back, browser.jar.fromElsewhere, instance.client, flow, &numbers) else {
                return
            }
            handles.append(handle)
        }
        let seeds = handles.map { (handle: $0, seed: numbers.next()) }
        await withTaskGroup(of: Void.self) { group in
            for (handle, seed) in seeds {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await resume(handle, instance, flow, nil, &numbers)
                }
            }
        }
    }

    // MARK: Out

    /// Leaves from a page.
    ///
    /// - Returns: Where that leads; nil when it does not lead away.
    @discardableResult
    func leave(
        _ go: String, _ instance: Instance, _ flow: String, twice: Bool, jar: Jar? = nil,
        _ numbers: inout SeededNumbers
    ) async -> String? {
        let seeds = (0..<(twice ? 2 : 1)).map { _ in numbers.next() }
        return await withTaskGroup(of: String?.self) { group in
            for seed in seeds {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    if twice { await world.pass(numbers.span(upTo: .milliseconds(200))) }
                    var request = Request("go", .get, go)
                    request.detail = " \(instance) \(flow.prefix(7))"
                    (request.instance, request.leaves, request.jar) = (instance, flow, jar)
                    browser.leavings[flow, default: 0] += 1
                    let response = await browser.send(request, &numbers).0.response
                    guard let response, response.leadsOn else { return nil }
                    browser.noteAway(flow, response)
                    return response.location
                }
            }
            var found: String?
            for await address in group { found = address ?? found }
            return found
        }
    }

    /// The handle by which a page is left now.
    func readGo(_ flow: String, _ instance: Instance, _ numbers: inout SeededNumbers) async -> String? {
        var request = Request("flow", .get, "/bff/\(instance)/flows/\(flow)")
        request.detail = " \(flow.prefix(7))"
        let answer = await browser.send(request, &numbers).0
        return answer.response?.json?.object?.departure
    }

    // MARK: There

    /// Signs in at the other site, or refuses.
    ///
    /// - Returns: The query of the address that leads back.
    func decide(_ address: String, _ instance: Instance, refuses: Bool) async -> String? {
        var address = address
        if instance.isDaVinci {
            guard let next = await visit(address) else { return nil }
            address = next
        }
        guard let query = WebURL(address)?.query else { return nil }
        let form = "\(query)&user=\(browser.users(instance)[0])&decision=\(refuses ? "deny" : "allow")"
        let answer = await browser.cluster.provider.answer(
            ServerRequest(
                method: .post, target: "/social/decision",
                headers: RequestHeaders([
                    (name: "Host", value: "am.example.com"),
                    (name: "Content-Type", value: "application/x-www-form-urlencoded"),
                ]), body: RequestBody(Array(form.utf8))))
        guard let back = Response(answer).location else { return nil }
        guard instance.isDaVinci else { return WebURL(back)?.query }
        let way = await visit(back).flatMap { WebURL($0)?.query }
        if let token = way.flatMap({ QueryParameters(parsing: $0) })?.single("continueToken") {
            browser.cluster.ledger.flows.gave(token, to: browser.number)
        }
        return way
    }

    /// Opens an address of the provider.
    ///
    /// - Returns: Where that leads.
    private func visit(_ address: String) async -> String? {
        guard let url = WebURL(address) else { return nil }
        let answer = await browser.cluster.provider.answer(
            ServerRequest(
                method: .get, target: url.path + (url.query.map { "?" + $0 } ?? ""),
                headers: RequestHeaders([(name: "Host", value: "am.example.com")])))
        return Response(answer).location
    }

    // MARK: Back

    /// Comes back.
    ///
    /// - Returns: What the flow goes on with; nil when nobody waits for it.
    private func comeBack(
        _ query: String, _ instance: Instance, _ flow: String, _ detour: Detour, _ numbers: inout SeededNumbers
    ) async -> String? {
        let client = instance.client
        if detour == .wrongState {
            let wrong = query.split(separator: "&").map { $0.hasPrefix("state=") ? "state=another" : String($0) }
            if let handle = await open(wrong.joined(separator: "&"), browser.jar.fromElsewhere, client, nil, &numbers) {
                // It is nobody's: what comes of it is seen where it reaches the provider.
                await resume(handle, Instance("standard", account), flow, nil, &numbers)
            }
        }
        if detour == .form {
            var request = Request("return", .post, "/bff/\(client)/return")
            (request.form, request.jar) = (query, Jar())
            let page = await browser.send(request, &numbers).0.response
            guard let page, page.status == 200 else { return nil }
            // The page posts the form once more, from our own origin.
            request = Request("return", .post, "/bff/\(client)/return?again")
            (request.form, request.jar) = (query, browser.jar.fromElsewhere)
            return await browser.send(request, &numbers).0.response?.handle
        }
        let jar = detour == .loses ? Jar() : browser.jar.fromElsewhere
        let handle = await open(query, jar, client, flow, &numbers)
        guard detour == .returnsTwice || handle == nil && detour != .loses else { return handle }
        return await open(query, jar, client, flow, &numbers) ?? handle
    }

    func open(
        _ query: String, _ jar: Jar, _ client: String, _ flow: String?, _ numbers: inout SeededNumbers
    ) async -> String? {
        var request = Request("return", .get, "/bff/\(client)/return?\(query)")
        request.jar = jar
        let (answer, sent) = await browser.send(request, &numbers)
        if let flow { browser.judgeWaitedFor(flow, answer.response, sent) }
        return answer.response?.handle
    }

    // MARK: On

    private func goOn(
        _ handle: String, _ instance: Instance, _ flow: String, _ detour: Detour, _ numbers: inout SeededNumbers
    ) async {
        if detour == .handleElsewhere {
            let old = oldJar(&numbers).map { [$0] } ?? []
            await resume(handle, instance, flow, numbers.pick([browser.otherJar, Jar()] + old), &numbers)
        }
        guard detour == .resumesTwice else {
            // No answer came: the same again, as of a page that is loaded again.
            if await !resume(handle, instance, flow, nil, &numbers) {
                await resume(handle, instance, flow, nil, &numbers)
            }
            return
        }
        let seeds = [numbers.next(), numbers.next()]
        await withTaskGroup(of: Void.self) { group in
            for seed in seeds {
                group.addTask {
                    var numbers = SeededNumbers(seed)
                    await world.pass(numbers.span(upTo: .milliseconds(numbers.pick([200, 10_000]))))
                    await resume(handle, instance, flow, nil, &numbers)
                }
            }
        }
    }

    /// Goes on with what was brought back.
    ///
    /// - Returns: Whether a node came.
    @discardableResult
    func resume(
        _ handle: String, _ instance: Instance, _ flow: String, _ jar: Jar?, isHeldBack: Bool = false,
        _ numbers: inout SeededNumbers
    ) async -> Bool {
        var request = Request("resume", .post, "/bff/\(instance)/resume")
        request.detail = " \(instance) \(flow.prefix(7))"
        let body: JSONObject = ["handle": .string(handle), "flow": .string(flow)]
        request.body = body
        (request.instance, request.jar, request.isHeldBack) = (instance, jar, isHeldBack)
        request.disturbs = true
        if jar == nil { browser.expectations.unsure(instance) }
        let (answer, sent) = await browser.send(request, &numbers)
        guard let node = answer.response?.json?.object, answer.response?.status == 200 else { return false }
        browser.judgeArrival(flow, handle)
        browser.judgeResumed(flow, sent)
        browser.judgeSameAnswer(body, node, instance, sent)
        take(answer, request, instance, sent)
        // The other provider has not signed the user in: the page stays, with its other ways.
        if node["type"]?.string == "error", jar == nil { await walk(node, instance, isRight: true, &numbers) }
        return true
    }
}

/// What two arrivals are told to go on with.
///
/// Sendable invariant: one thread, as of `World`.
private final class Handles: @unchecked Sendable {
    var all: [String] = []
}
