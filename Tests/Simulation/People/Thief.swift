import HTTPCore
import JSON
import StorageKit

/// Holds every cookie that was ever given out to a browser, of lost answers too, except the newest that a request confirmed.
///
/// The cookie of a session in which nobody has signed in yet counts as stolen from the beginning, as one that the thief has
/// planted. Of flows the thief knows those that he began himself. Where the cookie is over that he comes with, he knows all
/// that the browser has ever sent: it must not help him.
///
/// Sendable invariant: one thread, as of `World`.
final class Thief: @unchecked Sendable {
    private static let most = 60

    private let browser: Browser
    private var numbers: SeededNumbers
    /// The pages of flows that he began himself.
    private var pages: [(instance: Instance, node: JSONObject)] = []
    /// True once the users of the browser have done all that they do.
    var isAlone = false

    init(_ browser: Browser) {
        self.browser = browser
        numbers = SeededNumbers(browser.world.seed &+ UInt64(browser.number), "thief")
    }

    private var world: World { browser.world }

    /// Acts again and again, most often while a cookie changes.
    func run() async {
        var acts = 0
        while acts < Self.most, !isAlone, !world.isEnding {
            let isChanging = browser.given.last.map { world.now - $0.at < .seconds(40) } ?? false
            await world.pass(numbers.span(upTo: isChanging ? .seconds(4) : .seconds(60)))
            guard isChanging || numbers.happens(0.5) else { continue }
            acts += 1
            await act()
        }
    }

    // MARK: Cookies

    /// The cookies that he has now.
    private var loot: [GivenCookie] {
        browser.given.enumerated().filter { place, cookie in
            let later = browser.given[(place + 1)...].filter { $0.tag == cookie.tag }
            if later.isEmpty { return !cookie.isSignedIn || isTakenBack(cookie) }
            return !cookie.isSignedIn || cookie.seen == nil || later.contains { $0.seen != nil }
        }.map(\.element)
    }

    /// True if the ticket of a cookie is gone: its change was taken back, or its session has ended.
    private func isTakenBack(_ cookie: GivenCookie) -> Bool {
        SessionCredential(cookieValue: cookie.value).map {
            browser.cluster.journal.deletion(of: $0.ticketField, in: $0.sessionKey) != nil
        } ?? false
    }

    private func jar(_ cookie: GivenCookie) -> Jar {
        var jar = Jar()
        jar.set(cookie.name, cookie.value)
        return jar
    }

    // MARK: Acts

    private func act() async {
        let loot = loot
        guard !loot.isEmpty else { return }
        // The newest of those is the one that comes closest to what the browser has.
        let cookie = numbers.happens(0.7) ? loot[loot.count - 1] : numbers.pick(loot)
        let jar = jar(cookie)
        // Taking a change back that nobody confirmed is a right of the cookie before; done always, it would leave no other.
        if browser.isPending(cookie), world.now - cookie.at > .seconds(8), numbers.happens(0.8) { return }
        let isOver = browser.isOver(cookie)
        let account = numbers.happens(0.3) ? "alice" : ""
        let instance = Instance(numbers.pick(Definition.names(browser.mix)), account)
        switch numbers.below(isOver ? 20 : 14) {
        case 0: await send(Request("session", .get, "/bff/session"), nil, jar)
        case 1, 2: await send(Request("user", .get, "/bff/\(instance)/user"), instance, jar)
        case 3...5: await callAPI(account, jar)
        case 6: await send(Request("refresh", .post, "/bff/\(instance)/token/refresh"), instance, jar)
        case 7: await begin(instance, jar)
        case 8: await look(own, jar)
        case 9...11: await guess(own, jar)
        case 12: await resume(instance, ["handle": "r_AAAAAAAAAAAAAAAAAAAAAA"], jar)
        case 13: await end(instance, isOver: isOver, jar)
        case 14: await look(known, jar)
        case 15, 16: await guess(known, jar)
        case 17: await returnAgain(instance, jar)
        default: await repeatAnswer(jar)
        }
    }

    /// Sends a request that disturbs nobody.
    @discardableResult
    private func send(_ request: Request, _ instance: Instance?, _ jar: Jar) async -> Response? {
        var request = request
        (request.instance, request.jar, request.isThiefs) = (instance, jar, true)
        if request.detail.isEmpty { request.detail = " \(instance?.description ?? "")" }
        request.detail += " by a thief"
        return await browser.send(request, &numbers).0.response
    }

    private func callAPI(_ account: String, _ jar: Jar) async {
        let paths = ["accounts", "payments", "transactions"] + (browser.mix.hasDaVinci ? ["work", "orders"] : [])
        var request = Tab(browser: browser, account: account).apiRequest(numbers.pick(paths), .get, jar)
        request.isThiefs = true
        await send(request, request.instance, jar)
    }

    private func begin(_ instance: Instance, _ jar: Jar) async {
        var request = Request("start", .post, "/bff/\(instance)/start")
        var start = Start(&numbers)
        start.isForced = numbers.happens(0.5)
        // Pages that are polled, and pages to leave from.
        if ["standard", "other"].contains(instance.client), numbers.happens(0.5) {
            start.journey = numbers.pick(["Polling", "Push", "Social"])
        }
        request.body = start.body(instance)
        guard let node = await send(request, instance, jar)?.json?.object, node["flow"] != nil else { return }
        pages.append((instance, node))
    }

    /// A flow that he began himself, or one that nobody did.
    private var own: (instance: Instance, flow: String, step: Int64) {
        if !pages.isEmpty, numbers.happens(0.8) {
            let (instance, node) = numbers.pick(pages)
            return (instance, node["flow"]?.string ?? "", node["step"]?.int ?? 1)
        }
        return (Instance("standard"), "f_AAAAAAAAAAAAAAAAAAAAAA", 1)
    }

    /// A flow of the browser.
    private var known: (instance: Instance, flow: String, step: Int64) {
        guard !browser.pages.isEmpty else { return own }
        let (instance, node) = numbers.pick(browser.pages)
        return (instance, node["flow"]?.string ?? "", node["step"]?.int ?? 1)
    }

    private func look(_ flow: (instance: Instance, flow: String, step: Int64), _ jar: Jar) async {
        let method: HTTPMethod = numbers.happens(0.8) ? .get : .delete
        let name = method == .get ? "flow" : "cancel"
        await send(Request(name, method, "/bff/\(flow.instance)/flows/\(flow.flow)"), flow.instance, jar)
    }

    /// Bodies that are known without having been seen.
    private func guess(_ flow: (instance: Instance, flow: String, step: Int64), _ jar: Jar) async {
        let guesses: [JSONObject] = [
            [:], ["values": [:]], ["action": "polling"], ["action": "PollingWaitCallback-0"], ["action": "SUBMIT"],
            ["values": ["consent": true]], ["values": ["ConfirmationCallback-1": 0]],
        ]
        var body = numbers.pick(guesses)
        body["flow"] = .string(flow.flow)
        body["step"] = JSONValue(flow.step + (numbers.happens(0.2) ? 1 : 0))
        var request = Request("next", .post, "/bff/\(flow.instance)/next")
        request.body = body
        await send(request, flow.instance, jar)
    }

    private func resume(_ instance: Instance, _ body: JSONObject, _ jar: Jar) async {
        var body = body
        if body["flow"] == nil { body["flow"] = .string(own.flow) }
        var request = Request("resume", .post, "/bff/\(instance)/resume")
        request.body = body
        await send(request, instance, jar)
    }

    /// Ends what he can; the whole session he may, also by a cookie that was replaced a moment before.
    private func end(_ instance: Instance, isOver: Bool, _ jar: Jar) async {
        if numbers.happens(0.25) {
            guard numbers.happens(0.25) else { return }
            var other = numbers
            defer { numbers = other }
            return await Tab(browser: browser, account: "").logoutAll(nil, jar, &other, isThiefs: true)
        }
        let path = numbers.pick(["logout", "token/revoke"])
        var request = Request(path == "logout" ? "logout" : "revoke", .post, "/bff/\(instance)/\(path)")
        if path == "logout", numbers.happens(0.3) { request.body = ["session": true] }
        guard !isOver else {
            await send(request, instance, jar)
            return
        }
        browser.expectations.ends(instance, nil, at: world.now)
        request.disturbs = true
        await send(request, instance, jar)
        browser.expectations.ends(instance, nil, at: world.now)
    }

    /// Sends what the browser has sent, as it was.
    private func repeatAnswer(_ jar: Jar) async {
        guard !browser.sentAnswers.isEmpty else { return }
        let last = browser.sentAnswers[browser.sentAnswers.count - 1]
        let (instance, body) = numbers.happens(0.7) ? last : numbers.pick(browser.sentAnswers)
        var request = Request("next", .post, "/bff/\(instance)/next")
        request.body = body
        await send(request, instance, jar)
    }

    private func returnAgain(_ instance: Instance, _ jar: Jar) async {
        let known = browser.arrivals.sorted { $0.key < $1.key }
        guard !known.isEmpty else { return }
        let (flow, handles) = numbers.pick(known)
        guard let handle = handles.sorted().first else { return }
        await resume(instance, ["handle": .string(handle), "flow": .string(flow)], jar)
    }
}
