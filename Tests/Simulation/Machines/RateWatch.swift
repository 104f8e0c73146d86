import BFFAPI
import Basics

/// Counts what machines let through of each cookie, where rates are low.
///
/// Sendable invariant: one thread, as of `World`.
final class RateWatch: @unchecked Sendable {
    private static let session = (burst: 8, perMinute: 20)

    /// What a machine has let through of each cookie of a session, with what it had let through of the one before when it
    /// replaced that, and what it was asked in all.
    private struct Seen {
        var passed: [String: [Duration]] = [:]
        var asked: [Duration] = []
        /// Lives as long as it is named here.
        let process: Process
    }

    private struct Key: Hashable {
        let process: ObjectIdentifier
        let cookie: String
    }

    private var seen: [Key: Seen] = [:]

    /// Rates that users reach.
    static func limit(_ api: inout APISettings) {
        api.sessionRate = RateLimit(burst: session.burst, perMinute: session.perMinute)
        api.flowRate = RateLimit(burst: 4, perMinute: 12)
        api.accountRate = RateLimit(burst: 6, perMinute: 12)
    }

    /// Whether a request is one of those that the rate of sessions counts.
    private static func isCounted(_ request: Request) -> Bool {
        ["start", "next", "poll", "resume", "link", "go", "return", "refresh"].contains(request.name)
    }

    /// Judges an answer to a request with one cookie.
    func judge(_ response: Response, _ request: Request, _ sent: Sent, _ process: Process, _ world: World) {
        guard Self.isCounted(request) else { return }
        let cookies = sent.jar.values.map(GivenCookie.tag)
        // A call with two cookies counts for either of them, and says nothing about the rate of one.
        guard cookies.count == 1, let cookie = cookies.first else {
            for cookie in cookies {
                let key = Key(process: ObjectIdentifier(process), cookie: cookie)
                seen[key, default: Seen(process: process)].asked.append(sent.began)
            }
            return
        }
        let key = Key(process: ObjectIdentifier(process), cookie: cookie)
        var known = seen[key] ?? Seen(process: process)
        known.asked.append(sent.began)
        defer { seen[key] = known }
        guard response.status == 429 else {
            let whole = sent.jar.values.first ?? ""
            known.passed[whole, default: []].append(world.now)
            // A new cookie goes on with the count of the one before, which may be used beside it.
            for case let (_, new?) in response.cookies
            where GivenCookie.tag(of: new) == cookie && known.passed[new] == nil {
                known.passed[new] = known.passed[whole]
            }
            world.record.count(.check, "a call within its rate")
            // Whatever else was let through meanwhile was asked for before this answer.
            let minute = known.passed[whole, default: []].filter { world.now - $0 < .seconds(60) }
            let most = Self.session.burst + Self.session.perMinute + 4
            if minute.count > most {
                world.fail(.wrongRate, "\(sent.id) is the \(minute.count)th call of its cookie within a minute")
            }
            return
        }
        world.record.count(.check, "a call beyond its rate")
        if response.facts["retry-after"] == nil { world.fail(.wrongRate, "\(sent.id) is not told when to come again") }
        let recent = known.asked.filter { sent.ended - $0 < .seconds(600) }
        // The lowest of all bursts, of flows.
        if recent.count <= 4, !["next", "poll"].contains(request.name) {
            world.fail(.wrongRate, "\(sent.id) is refused, the \(recent.count)th call of its cookie")
        }
    }
}
