import BFF
import Basics
import HTTPCore
import IdentitySimulator
import JSON
import StorageKit

/// What must hold when faults have stopped: who was signed in still is, what waits is done, everybody can be signed out, and
/// nothing is left anywhere.
struct Ending: Sendable {
    private let cluster: Cluster
    private let browsers: [Browser]
    private let world: World

    init(_ cluster: Cluster, _ browsers: [Browser]) {
        self.cluster = cluster
        self.browsers = browsers
        world = cluster.surroundings.world
    }

    func judge() async {
        var numbers = SeededNumbers(world.seed, "ending")
        for browser in browsers { await judgeSignIns(of: browser, &numbers) }
        await waitForRevocations("when faults have stopped")
        for browser in browsers { await judgeTickets(of: browser) }
        cluster.surroundings.weather.mend()
        await waitForRevocations("when all can be read")
        var unreachable: Set<Int> = []
        for browser in browsers where await !signOut(browser, &numbers) { unreachable.insert(browser.number) }
        await waitForRevocations("after the last logout")
        judgeOrphans(unreachable)
        await judgeStore()
    }

    // MARK: Sign-ins

    /// Whoever was signed in still is, and the token that goes out works.
    private func judgeSignIns(of browser: Browser, _ numbers: inout SeededNumbers) async {
        guard !browser.expectations.hasLostTrack else { return }
        for (instance, signIn) in browser.expectations.signIns.sorted(by: { $0.key.description < $1.key.description })
        where !browser.isExpired(world.now, signIn) {
            world.record.count(.check, "a sign-in when faults have stopped")
            let tab = Tab(browser: browser, account: instance.account)
            var answer = await tab.callAPI(instance, &numbers)
            // A machine that does not have the key of a session yet sends its users to another one.
            for _ in 0..<16 where answer.response?.problem == "store-unavailable" {
                answer = await tab.callAPI(instance, &numbers)
            }
            switch answer.response?.problem {
            case "signed-out", "session-changed":
                guard !browser.hasProviderSignedOut(signIn.user, at: instance) else { continue }
                world.fail(
                    .signedOut,
                    "b\(browser.number) \(instance) was signed in as \(signIn.user) and gets \(answer.outcome)")
            case nil: break
            // A provider that has ended the session by itself shows a page where it gave tokens before.
            case "interaction-needed" where cluster.ledger.endedByProvider.contains(signIn.user): break
            case "upstream-failed"?:
                world.fail(.deadToken, "b\(browser.number) \(instance): a renewed token is dead at the provider")
            case .some:
                world.fail(.oddAnswer, "b\(browser.number) \(instance) gets \(answer.outcome) when nothing is wrong")
            }
        }
    }

    /// The ticket of a cookie that was replaced for good is gone.
    private func judgeTickets(of browser: Browser) async {
        for cookie in browser.given where browser.isOver(cookie) {
            guard let credential = SessionCredential(cookieValue: cookie.value),
                let here = try? await cluster.store.read(credential.sessionKey, .names([credential.ticketField]))
            else { continue }
            world.record.count(.check, "the ticket of a cookie that was replaced")
            // An end without a cookie removes the rotation unread, and with it what would have removed the former ticket:
            // that one opens nothing, and goes with its session.
            guard here[credential.ticketField] != nil, !isTouchedByAnEnd(browser) else { continue }
            let held = Jar.text(cookie.name, cookie.value)
            world.fail(.oldCookie, "b\(browser.number): the ticket of \(held) is in the store, minutes after its end")
        }
    }

    // MARK: Revocations

    private func waitForRevocations(_ when: String) async {
        // After failures of the provider its revocations wait for up to ten minutes.
        var (rounds, waiting) = (0, 1)
        while rounds < 4 || rounds < 20 && waiting > 0 {
            await world.pass(.seconds(35))
            rounds += 1
            if rounds >= 4 { waiting = await cluster.waitingRevocations() }
        }
        world.record.count(.check, "the queue of revocations")
        if waiting > 0 { world.fail(.queue, "\(waiting) revocations wait \(when)") }
    }

    // MARK: Signing out

    /// Signs a browser out with every cookie that it was ever given.
    ///
    /// - Returns: Whether nothing of it is left in the store.
    private func signOut(_ browser: Browser, _ numbers: inout SeededNumbers) async -> Bool {
        var isAllEnded = true
        for tag in Set(browser.given.map(\.tag)).sorted() {
            let cookies = browser.given.filter { $0.tag == tag }
            guard let key = cookies.first.flatMap({ SessionCredential(cookieValue: $0.value)?.sessionKey }) else {
                continue
            }
            if await isGone(key) {
                // Its time was over: nobody is there to revoke then.
                if !cluster.journal.wasEnded(key) { isAllEnded = false }
                continue
            }
            world.record.count(.check, "a session that its cookies are to end")
            for cookie in cookies.reversed() {
                var jar = Jar()
                jar.set(cookie.name, cookie.value)
                var request = Request("final-logout", .post, "/bff/logout")
                request.jar = jar
                // A machine that does not have the key of a session yet sends its users to another one.
                for _ in 0..<16 {
                    let (answer, _) = await browser.send(request, &numbers)
                    guard answer.response?.problem == "store-unavailable" else { break }
                }
                if await isGone(key) { break }
            }
            guard await !isGone(key) else { continue }
            isAllEnded = false
            judgeUnendable(key, browser)
        }
        return isAllEnded
    }

    private func isGone(_ key: SessionKey) async -> Bool { (try? await cluster.store.read(key, .all))?.exists == false }

    /// A session that none of its cookies ends is one whose newest cookie never left the server.
    private func judgeUnendable(_ key: SessionKey, _ browser: Browser) {
        world.fail(.unendable, "b\(browser.number): no cookie that was given out ends session \(key)")
    }

    // MARK: What is left

    /// What lives at the provider has somebody who can end it.
    private func judgeOrphans(_ unreachable: Set<Int>) {
        let living =
            cluster.provider.sessions.map { ($0.value, $0.user) } + cluster.provider.grants.map { ($0.id, $0.user) }
        for (name, user) in living {
            world.record.count(.check, "something that lives at the provider at the end")
            guard let gift = cluster.ledger.gifts[name], gift.call.isDelivered, cluster.logs.lostRevocations == 0,
                !gift.call.isInterrupted, !cluster.ledger.ends.mayHaveEnded(gift), !isForgottenByAnEnd(user),
                !browsers.contains(where: { unreachable.contains($0.number) && owns($0, user) })
            else { continue }
            world.fail(
                .orphan,
                "a \(gift.kind.rawValue) of \(user) \(gift.client), given to \(gift.call) at \(gift.at), lives and nobody holds it"
            )
        }
    }

    /// True if an end without a cookie removed a rotation unread in a session of the user's browser: what the sign-in had
    /// replaced there is told to the provider by nobody.
    private func isForgottenByAnEnd(_ user: String) -> Bool {
        browsers.contains { owns($0, user) && isTouchedByAnEnd($0) }
    }

    private func isTouchedByAnEnd(_ browser: Browser) -> Bool {
        cluster.ledger.ends.hasTouched(Array(Definition.users(browser.number, browser.mix)))
    }

    private func owns(_ browser: Browser, _ user: String) -> Bool {
        Definition.users(browser.number, browser.mix).contains(user)
    }

    /// A day later nothing is in the store that anybody could read.
    private func judgeStore() async {
        cluster.isDeserted = true
        await world.pass(.seconds(25 * 3600))
        world.record.count(.check, "the store a day later")
        for key in cluster.journal.sessions where await !isGone(key) {
            world.fail(.leftInStore, "\(key) is there a day later")
        }
    }
}

extension ProviderCall {
    /// Whether the machine crashed while it worked on the request that this call was made for.
    var isInterrupted: Bool { process.isCrashed && (requestID.map { process.interrupted.contains($0) } ?? true) }
}
