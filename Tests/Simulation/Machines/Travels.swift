import Basics
import HTTPCore
import JSON

/// What the provider sees of users who wait for a device, leave for another site, and come back.
final class Travels {
    private let world: World
    private let skew: Duration
    /// When a page that waits was given out, by the step token that it came with.
    private var waits: [String: Duration] = [:]
    /// Whose browser left with a `state`.
    private var leavers: [String: Substring] = [:]
    private var returned: Set<String> = []

    init(_ world: World, _ mix: Mix) {
        self.world = world
        skew = mix.skew
    }

    /// The browser that a call is made for: `b0` of `b0-000007`.
    private static func browser(_ call: ProviderCall) -> Substring? { call.requestID?.prefix { $0 != "-" } }

    /// A page was given out.
    func answered(_ call: ProviderCall, _ body: JSONValue) {
        guard let token = body["authId"]?.string else { return }
        for callback in body["callbacks"]?.array ?? [] {
            switch callback["type"]?.string {
            case "PollingWaitCallback": waits[token] = world.now
            case "RedirectCallback":
                let address = callback["output"]?.array?.first { $0["name"]?.string == "redirectUrl" }?["value"]?.string
                guard
                    let state = address.flatMap({ WebURL($0)?.query }).flatMap({ QueryParameters(parsing: $0) })?
                        .single("state")
                else { continue }
                leavers[state] = Self.browser(call)
            default: continue
            }
        }
    }

    /// A step has come.
    func received(_ request: ClientRequest, _ call: ProviderCall) {
        let body = try? JSONValue(parsing: request.body)
        if let token = body?["authId"]?.string, let given = waits[token], !Self.isExit(body) {
            world.record.count(.check, "a poll that the provider gets")
            if world.now - given < Definition.pollingWait - skew {
                world.fail(.pollEarly, "\(call) polls \(world.now - given) after the page")
            }
        }
        guard let state = request.url.query.flatMap({ QueryParameters(parsing: $0) })?.single("state") else { return }
        world.record.count(.check, "a return that the provider hears of")
        if !returned.insert(state).inserted { world.fail(.arrivalTwice, "\(call) brings the state \(state) once more") }
        if leavers[state] == nil || leavers[state] != Self.browser(call) {
            world.fail(.foreignReturn, "\(call) for \(call.requestID ?? "") brings a state that it did not leave with")
        }
    }

    /// Whether the way out of a wait was taken.
    private static func isExit(_ body: JSONValue?) -> Bool {
        body?["callbacks"]?.array?.contains { callback in
            callback["type"]?.string == "ConfirmationCallback" && callback["input"]?.array?.first?["value"]?.int == 0
        } ?? false
    }
}
