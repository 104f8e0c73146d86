import Basics
import DaVinciClient
import HTTPCore
import JOSE
import JSON
import JourneyProduct
import StorageKit

@testable import BFF
@testable import JourneyClient
@testable import OpenIDConnect
@testable import Orchestrate
@testable import Sessions

/// One value of every type that is stored, with every field filled, and always the same.
enum RecordSamples {
    static let now = Timestamp(seconds: 1_767_225_600)
    private static let issuer = "https://am.example.com/oauth2/alpha"

    private static func bytes(_ count: Int, _ first: UInt8) -> [UInt8] { (0..<count).map { first &+ UInt8($0) } }

    static let tokens = TokenSet(
        accessToken: Secret("access-ä"), tokenType: "Bearer", refreshToken: Secret("refresh"), idToken: Secret("id"),
        scopes: ["openid", "profile"], issuedAt: Timestamp(milliseconds: 1_767_225_600_123),
        expiresAt: Timestamp(seconds: 1_767_229_200), issuer: issuer, clientID: "bff", subject: "(usr!demo)",
        acr: "gold", amr: ["pwd", "otp"], authTime: Timestamp(seconds: -1), authLevel: 3, sessionID: "s-1")

    static var authorization: Authorization {
        guard let endpoint = WebURL("https://am.example.com/oauth2/alpha/authorize?a=b"),
            let parameters = QueryParameters(parsing: "client_id=bff&scope=openid%20profile")
        else { preconditionFailure("the sample is an address and a query") }
        return Authorization(
            issuer: issuer, clientID: "bff", redirectURI: "https://app.example.com/code", endpoint: endpoint,
            method: .post, parameters: parameters, state: Secret("st"), nonce: Secret("n"),
            pkce: PKCE(verifier: Secret("v-ä")),
            demands: SignInDemands(acr: ["gold"], notBefore: now, maxAge: .milliseconds(60_123)), expires: now,
            isSpent: true)
    }

    static let signIns = SignInList(
        begun: now, device: "Firefox on Linux",
        parts: [
            SignInList.Part(
                fields: ["token/journey/s/", "user/journey/s/"],
                instance: InstanceName(client: "standard", account: "alice"),
                names: IndexNames(user: [1, 2, 3, 4], session: [5, 6, 7, 8]), authenticated: now + .seconds(-1),
                signedInAt: now)
        ])

    static var cookies: CookieJar {
        var jar = CookieJar()
        for text in ["amlbcookie=01; Path=/; Max-Age=60; Secure", "route=\"ü;\"; Domain=example.com"] {
            guard let url = WebURL("https://am.example.com/am/json"), let cookie = SetCookie(parsing: text) else {
                continue
            }
            jar.store(cookie, from: url, now: now)
        }
        return jar
    }

    static var session: SSOSession {
        SSOSession(
            value: Secret("t.*ß*"), successURL: "/am/console", realm: "/alpha", cookies: cookies,
            created: now + .milliseconds(123))
    }

    static var davinciSession: DaVinciSession {
        DaVinciSession(value: Secret("s.1"), cookies: cookies, idToken: Secret("h.p"))
    }

    static var options: JourneyOptions {
        var options = StartOptions()
        options.forceAuth = true
        options.acrValues = ["gold", ""]
        options.languages = ["de", "en"]
        options.parameters.append("a", "ß")
        return JourneyOptions(.journey("Login"), options)
    }

    static var position: FlowState {
        var state = FlowState(page: Array(#"{"page":1.0}"#.utf8))
        state.context[.options] = options
        state.context[.cookies] = cookies
        state.context[FlowKey<Bool>("flag")] = true
        state.context[FlowKey<[String]>("list")] = ["\u{0}\"x", "/"]
        return state
    }

    static let transaction = HeldTransaction(
        id: "t-1", target: bytes(32, 3), advice: #"{"TransactionConditionAdvice":["t-1"]}"#)

    static let goal = StepUpGoal(
        purpose: "high",
        requirement: "high", issuer: issuer, subject: "ü", route: "/api/x", transaction: transaction)

    /// Of a session of DaVinci flows.
    static let flowFacts = UserFacts(subject: "u", session: [:], scopes: ["a"])

    static let facts: UserFacts = {
        let claims = try? JSONValue(parsing: Array(#"{"n":1.10,"o":{"x":[1,null,true]},"claims":"y"}"#.utf8))
        var facts = UserFacts(
            subject: "s\u{1F600}\\", claims: claims?.object,
            session: ["realm": "/a", "successUrl": "/x"], scopes: ["a\"b", "c"])
        facts.acr = "gold"
        facts.amr = ["pwd", "otp"]
        facts.authLevel = -3
        facts.authTime = now
        return facts
    }()

    static let user = UserRecord(
        epoch: 1, accessEnd: now, renewFrom: now - .seconds(60), limitEnd: now, idleLimit: 40_000, lastUsed: now,
        hasClaims: false, claimsFrom: now, facts: facts.encoded[...], format: 7, rendered: Array("{".utf8)[...])

    static let unconfirmed = UnconfirmedSignIn(
        session: bytes(5, 1), tokens: tokens.encoded, claims: #"{"name":"ü"}"#, subject: "ü", name: "ü",
        former: [UnconfirmedSignIn.Former(issuer: issuer, subject: "u")],
        held: [UnconfirmedSignIn.Held(place: 31, name: "held/a")], mark: "confirmed/a")

    static let held = HeldRevocation(
        item: revocable,
        condition: HeldRevocation.Condition(
            due: now, session: SessionKey(tag: [1]), flow: "flow/f_AAAAAAAAAAAAAAAAAAAAAA", mark: "confirmed/a"))

    static let flow: FlowRecord = {
        let shown = User(rendered: [1, 2], tokenExpiresIn: 4, idle: 5, absolute: -6)
        return FlowRecord(
            id: "f_AAAAAAAAAAAAAAAAAAAAAA", instance: InstanceName(client: "standard", account: "alice"),
            madeBy: bytes(3, 1), started: now, ends: now + .seconds(600), macKey: bytes(32, 7), step: 3,
            phase: .sent(mac: bytes(32, 9), deadline: now + .seconds(45)), position: position.encoded,
            awaits: .poll(from: now + .seconds(8)),
            travel: FlowTravel(target: "t", isCrossBrowser: true, isLinked: true, departures: 2),
            replace: true, goal: goal, refusal: FlowRecord.Refusal("No", ["a", 1]),
            kept: FlowRecord.KeptAnswer(
                step: 2, mac: bytes(32, 1), outcome: .success(KeptUser(shown, facts: facts.encoded)), until: now,
                newSecret: bytes(32, 5)), refusals: 3, unconfirmed: unconfirmed)
    }()

    static let departures = DeparturesRecord(
        entries: [
            DeparturesRecord.Entry(
                page: place, target: "t", state: "s-1", ends: now, number: 2, spentBy: bytes(2, 1))
        ], count: 3)

    static let arrival = ArrivalRecord(client: "standard", departures: 3, ends: now, parameters: ["code": "c"])

    private static let place = FlowPlace(
        instance: InstanceName(client: "standard", account: "alice"), flow: "f_AAAAAAAAAAAAAAAAAAAAAA", step: 3)

    /// The other ways in which a flow ends.
    static let ends: [FlowRecord] = {
        let outcomes: [FlowRecord.KeptAnswer.Outcome] = [
            .page(at: now), .subjectChanged, .unconfirmed, .failure(reason: "x", message: "y"),
            .failure(reason: "", message: nil),
            .failure(reason: "x", message: nil, more: Array(#"[[1],{"a":1}]"#.utf8)),
            .success(nil),
        ]
        return outcomes.map { outcome in
            var flow = flow
            flow.end()
            flow.kept = FlowRecord.KeptAnswer(step: 1, mac: [], outcome: outcome, until: now)
            return flow
        }
    }()

    static let meta: MetaRecord = {
        var meta = MetaRecord(created: now, absoluteEnd: now + .seconds(8 * 3600), epoch: 7)
        meta.put(
            MetaRecord.TokenEntry(
                field: "token/journey/s/", client: "standard", account: "", sessionField: "session/journey/s/",
                issuer: issuer, subject: "ü", signedInAt: now, limitEnd: now + .seconds(900), accessEnd: nil, epoch: 7))
        meta.put(
            MetaRecord.SessionEntry(
                field: "session/journey/s/", client: "standard", account: "", issuer: issuer, subject: "ü"))
        meta.flows = [flow.entry]
        return meta
    }()

    static let attempts: StepUpAttempts = {
        var attempts = StepUpAttempts()
        _ = attempts.offer(RouteCall(route: "/api/x", account: "alice", target: nil), "high", epoch: 3, at: now)
        return attempts.raising(
            RaisedRoute(
                route: "/api/y", account: "", client: "gold",
                transaction: AuthorizedTransaction(
                    id: "t-1", target: bytes(32, 3), issuer: issuer, subject: "ü", until: now))
        ).raising(RaisedRoute(route: "/api/z", account: "alice", client: nil, transaction: nil))
    }()

    static let challenge = StepUpChallenge(
        requirement: "high", acrValues: ["gold", ""], route: "/api/x", issuer: "i", subject: "ü",
        transaction: transaction)

    static let claims = TicketClaims(
        status: .superseded, epoch: 3, isSignedIn: true, absoluteEnd: now,
        rotation: TicketClaims.Rotation(id: "c", readsUntil: now, replaysUntil: now + .seconds(20)))

    /// The key of RFC 7517, appendix A.1.
    static var device: DeviceRecord {
        let key: JSONObject = [
            "kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",
            "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",
        ]
        guard let key = try? DeviceKey(key, .ES256) else { preconditionFailure("the sample is a key") }
        return DeviceRecord(key, since: now)
    }

    static let revocable = Revocable.tokens(bytes(3, 1), "standard")

    static let change = RotationRecord(
        isFinal: true, formerTicket: "ticket:a", newTicket: "ticket:b", readsUntil: now,
        replaysUntil: now + .seconds(20),
        former: [
            RotationRecord.Former(field: "meta", sealed: bytes(40, 1)),
            RotationRecord.Former(field: "token/journey/s/", sealed: nil),
        ], flows: ["f_AAAAAAAAAAAAAAAAAAAAAA"], revocable: [revocable, .session([4], "admin")])

    static let proof = ProofRecord(tokens, stated: tokens.authTime)
}
