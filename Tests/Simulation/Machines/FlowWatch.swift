import HTTPCore
import IdentitySimulator
import JSON

/// What PingOne sees of the flows of DaVinci.
final class FlowWatch {
    /// What has become of the answer to a page.
    private enum Step {
        /// It was sent, and may have been taken.
        case sent
        /// It was refused, as the server has heard: the page is to be answered again.
        case kept
    }

    private static let place = "/" + PingOneSettings().environment + "/"

    private let world: World
    private let provider: InProcessSimulator
    /// Whether clocks are apart, so that a poll may be early.
    private let isSkewed: Bool
    /// About which instance requests are, and whether they want to sign in somebody else.
    private var asked: [String: (instance: Instance, replaces: Bool)] = [:]
    /// For which browser each cookie was given.
    private var owners: [String: Substring] = [:]
    /// The flows that may sign in somebody else, by their cookies.
    private var replacing: Set<String> = []
    /// By the token of the page.
    private var steps: [String: Step] = [:]
    /// Whose browser has brought back a token, and how often PingOne got it.
    private var returns: [String: (browser: Substring, times: Int)] = [:]
    private var refusals: [String: Int] = [:]

    init(_ world: World, _ mix: Mix, _ provider: InProcessSimulator) {
        self.world = world
        self.provider = provider
        isSkewed = mix.skew > .zero
    }

    /// The browser that a call is made for: `b0` of `b0-000007`.
    private static func browser(_ call: ProviderCall) -> Substring? { call.requestID?.prefix { $0 != "-" } }

    /// Whether a call goes to PingOne.
    static func isOfFlows(_ request: ClientRequest) -> Bool { request.url.path.hasPrefix(place) }

    /// Whether a call is for what all clients of a provider share, whoever asks for it.
    static func isOfMetadata(_ request: ClientRequest) -> Bool {
        ["/jwks", "/openid-configuration"].contains { request.url.path.hasSuffix($0) }
    }

    // MARK: What browsers do

    /// A request goes out.
    func asked(_ id: String, _ request: Request, _ instance: Instance) {
        guard instance.isDaVinci else { return }
        asked[id] = (instance, request.body?["replace"]?.bool == true)
    }

    /// PingOne has sent somebody back with a token.
    func gave(_ token: String, to browser: Int) { returns[token] = ("b\(browser)", 0) }

    // MARK: What the server does

    /// A call has come.
    func received(_ request: ClientRequest, _ call: ProviderCall, _ ledger: Ledger) {
        guard call.isOfFlows else { return }
        let cookies = Self.cookies(request)
        world.record.count(.check, "a call of PingOne's")
        judgeCookies(cookies, request, call, ledger)
        if let token = Self.field("interactiontoken", of: request) {
            world.record.count(.check, "a page that PingOne gets answered")
            call.step = token
            let isPoll = Self.event(request) == "polling"
            if isPoll { world.record.count(.check, "a poll that PingOne gets") }
            if steps[token] == .sent { world.fail(.authIDTwice, "\(call) answers a page of a flow a second time") }
            steps[token] = .sent
        }
        if request.url.path.hasSuffix("/status") { world.record.count(.check, "a challenge that PingOne is asked for") }
        if request.url.path.hasSuffix("/continue") { judgeReturn(request, call) }
        if request.url.path.hasSuffix("/signoff") { world.record.count(.check, "a sign-off at PingOne") }
        if request.url.query.flatMap({ QueryParameters(parsing: $0) })?.single("prompt") == "none" {
            world.record.count(.check, "a start that shows nothing")
        }
    }

    /// A cookie goes where it was given, for whom it was given; and none of a session does where another user may sign in.
    private func judgeCookies(
        _ cookies: [(name: String, value: String)], _ request: ClientRequest, _ call: ProviderCall, _ ledger: Ledger
    ) {
        let about = call.requestID.flatMap { asked[$0] }
        let run = cookies.first { $0.name == "interactionId" }?.value
        let replaces =
            run.map { replacing.contains($0) } ?? (about?.replaces == true && request.url.path.hasSuffix("/authorize"))
        for (name, value) in cookies {
            world.record.count(.check, "a cookie that PingOne gets")
            if replaces { world.record.count(.check, "a cookie that PingOne gets where another user may sign in") }
            if let owner = owners[value], let browser = Self.browser(call), owner != browser {
                world.fail(.foreignCookie, "\(call) for \(call.requestID ?? "") sends \(name) of \(owner)")
            }
            // What waits to be signed off is of any account, whoever the request is about that has it done.
            guard name.hasPrefix("ST"), !request.url.path.lowercased().hasSuffix("signoff") else { continue }
            if replaces { world.fail(.sessionSent, "\(call) sends \(name) where another user may sign in") }
            guard let user = ledger.gifts[value]?.user, let instance = about?.instance,
                let browser = Self.browser(call)?.dropFirst(), let number = Int(browser)
            else { continue }
            if !user.isEmpty, !Definition.users(number, instance).contains(user) {
                world.fail(.foreignCookie, "\(call) for \(instance) sends \(name) of \(user)")
            }
        }
    }

    /// Who has come back goes on once, and in their own flow.
    private func judgeReturn(_ request: ClientRequest, _ call: ProviderCall) {
        guard let token = request.fields[.authorization]?.split(separator: " ").last.map(String.init) else { return }
        world.record.count(.check, "a return that PingOne hears of")
        guard let known = returns[token] else {
            return world.fail(.foreignReturn, "\(call) brings back what nobody was given")
        }
        returns[token] = (known.browser, known.times + 1)
        if known.times == 1 { world.fail(.arrivalTwice, "\(call) brings the same token back once more") }
        if let browser = Self.browser(call), browser != known.browser {
            world.fail(.foreignReturn, "\(call) for \(call.requestID ?? "") brings back the token of \(known.browser)")
        }
    }

    /// An answer was given.
    func answered(_ call: ProviderCall, _ response: ClientResponse, _ ledger: Ledger) {
        judgeRefusals(call)
        guard call.isOfFlows else { return }
        let body = try? JSONValue(parsing: response.body)
        let isReplacing = call.requestID.flatMap { asked[$0] }?.replaces == true
        for field in response.fields where field.name.rawName.lowercased() == "set-cookie" {
            let pair = field.value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let (name, value) = (pair[0], String(pair[1]))
            if ["interactionId", "interactionToken", "ST", "ST-NO-SS"].contains(name) {
                ledger.keep(secret: value)
                if let browser = Self.browser(call), owners[value] == nil { owners[value] = browser }
            }
            if name == "interactionId", isReplacing { replacing.insert(value) }
            if name == "ST" { ledger.keep(session: value, of: call) }
        }
        for name in ["interactionId", "interactionToken", "request_uri"] {
            if let secret = body?[name]?.string { ledger.keep(secret: secret) }
        }
        if let code = body?["authorizeResponse"]?["code"]?.string { ledger.keep(secret: code) }
        // The page of before stands: the answer has no page of its own, and ends nothing.
        let isRewind = body?["eventName"]?.string?.hasPrefix("rewind") == true
        call.isKept = call.step != nil && (isRewind || response.status == 400 && body?["connectorId"] != nil)
    }

    /// An answer has come to the machine that asked.
    func delivered(_ call: ProviderCall) {
        if call.isKept, let step = call.step { steps[step] = .kept }
    }

    /// What no client may send, the server has not sent.
    ///
    /// What is brought back says nothing of its flow, so it may be of another one of the same browser; and where clocks are
    /// apart a poll may be early.
    private func judgeRefusals(_ call: ProviderCall) {
        let now = provider.refusals.merging(provider.warnings) { $0 + $1 }
        for (rule, times) in now.sorted(by: { $0.key < $1.key }) where times > refusals[rule, default: 0] {
            world.record.count(.check, "a call that PingOne refuses: \(rule)")
            switch rule {
            case "continue-token": continue
            // Another tab may have ended or replaced the session, and the provider hears of that only later.
            case "session-missing": continue
            case "early-poll":
                if !isSkewed { world.fail(.pollEarly, "\(call) asks PingOne before it is due") }
            default: world.fail(.unsoundCall, "\(call) breaks the rule \(rule)")
            }
        }
        refusals = now
    }

    // MARK: Pauses

    /// PingOne has said that a machine asks it too often, for a second.
    func wantsPause(_ call: ProviderCall, at now: Duration) {
        guard call.isOfFlows, !call.isOfMetadata else { return }
        world.record.count(.check, "a pause that PingOne wants")
        call.process.pausedUntil = now + .seconds(1)
    }

    /// Whoever was told so does not ask again before that is over.
    func judgePause(_ call: ProviderCall, at now: Duration) {
        guard call.isOfFlows, !call.isOfMetadata, now < call.process.pausedUntil - .milliseconds(5) else { return }
        world.fail(.duringPause, "\(call) asks PingOne \(call.process.pausedUntil - now) before its pause is over")
    }

    // MARK: Requests taken apart

    private static func field(_ name: String, of request: ClientRequest) -> String? {
        request.fields.first { $0.name.rawName.lowercased() == name }?.value
    }

    private static func event(_ request: ClientRequest) -> String? {
        (try? JSONValue(parsing: request.body))?["parameters"]?["eventType"]?.string
    }

    private static func cookies(_ request: ClientRequest) -> [(name: String, value: String)] {
        request.fields.filter { $0.name.rawName.lowercased() == "cookie" }.flatMap { field in
            field.value.split(separator: ";").compactMap { pair in
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
        }
    }
}
