import BFF
import Basics
import HTTPCore
import JSON
import JourneyProduct
import ResourceServer

extension ResourceReplay {
    private var path: String { url?.path ?? "/transactions" }

    /// What the API of the fixture does: refuses every token but one.
    private func api(taking good: String?) -> @Sendable (Received) -> Reply {
        let reply = Reply(fixture)
        return { received in
            good != nil && received.header("authorization") == good.map { "Bearer \($0)" }
                ? .json(#"{"done":true}"#) : reply
        }
    }

    // MARK: RFC 6750 and RFC 9470

    /// Calls the fixture's API through a route and does what its answer asks for.
    mutating func call() async throws {
        guard let field = fixture.header("WWW-Authenticate") else { return comparison.differs("headers: no challenge") }
        let expect = fixture.expect ?? [:]
        comparison.known(expect, ["acr_values", "max_age", "scope"])
        let challenge = ReceivedChallenge.parse([field]).first { $0.scheme == "bearer" }
        comparison.equal("challenge", challenge?.parameters, bearer)
        if let acr = expect["acr_values"] { comparison.equal("acr_values", list(challenge?.acrValues), acr) }
        if let age = expect["max_age"]?.int { comparison.equal("max_age", challenge?.maxAge, age) }
        if let scope = expect["scope"] { comparison.equal("scope", list(challenge?.scopes), scope) }
        switch (fixture.status, challenge?.error) {
        case (401, "insufficient_user_authentication"), (403, "insufficient_scope"): try await stepUp(challenge)
        case (401, "invalid_token"): try await renew()
        default: try await refused()
        }
    }

    private func list(_ words: [String]?) -> JSONValue? { words.map { .array($0.map { .string($0) }) } }

    /// The request that reaches the API for the browser's first call.
    private mutating func compareFirst(_ bench: LoopBench) {
        let request = bench.received(path).first
        comparison.request(request, fixture)
        comparison.equal("cookie", request?.header("cookie"), nil)
        if fixture.request?["headers"]?["Authorization"] == nil {
            comparison.equal("header Authorization", request?.header("authorization"), nil)
        }
    }

    /// Whatever an API says, nobody is signed out, and its challenge does not reach the browser.
    private mutating func compareSession(_ bench: LoopBench, _ answer: OwnAnswer) async {
        comparison.equal("answer WWW-Authenticate", answer.header("www-authenticate"), nil)
        comparison.equal("session", (await bench.call(.get, "/bff/standard/user")).status, 200)
    }

    private mutating func stepUp(_ challenge: ReceivedChallenge?) async throws {
        var options = LoopBench.Options()
        options.path = path
        var replay = self
        try await LoopBench.serving(options, api(taking: LoopBench.strong)) { bench in
            try await bench.signIn()
            let refused = await bench.call(.get, LoopBench.apiPath)
            replay.compareFirst(bench)
            await replay.compareSession(bench, refused)
            await replay.compareStepUp(bench, refused)
            let authorize = bench.received("/authorize").last?.parameters
            replay.comparison.equal(
                "asked acr_values", authorize?.single("acr_values"),
                // Without one the API leaves it to the requirement that its challenge was mapped to.
                challenge?.parameters["acr_values"] ?? "urn:example:acr:strong")
            let scopes = authorize?.single("scope")?.split(separator: " ").map(String.init) ?? []
            replay.comparison.equal("asked scope", Set(challenge?.scopes ?? []).subtracting(scopes), [])
            let start = bench.received("/authenticate").last?.parameters
            replay.comparison.equal("journey", start?.single("authIndexValue"), "ConfirmPassword")
            await replay.compareRetry(bench, query: "")
        }
        self = replay
    }

    /// The offer, and the flow that it leads to.
    private mutating func compareStepUp(_ bench: LoopBench, _ refused: OwnAnswer) async {
        comparison.equal("refused: status", refused.status, 403)
        comparison.equal("refused: problem", refused.problem, "step-up-required")
        comparison.equal("refused: instance", refused.body?["stepUp"]?["instance"], "transaction")
        comparison.equal("refused: start", refused.body?["stepUp"]?["start"], "/transaction/start")
        comparison.equal(
            "refused: required", refused.body?["required"],
            ["authLevel": 3, "acr": "urn:example:acr:strong", "scope": ["WRITE_TRANSACTION"], "maxAge": 300])
        let goal = refused.body?["stepUp"]?["for"]?.string ?? ""
        comparison.equal("refused: for", goal.prefix(2), "c_")
        let end = await bench.call(.post, "/bff/transaction/start", #"{"for":"\#(goal)"}"#)
        comparison.equal("step-up: type", end.body?["type"], "success")
        let start = bench.received("/authenticate").last
        comparison.equal("ForceAuth", start?.parameters.single("ForceAuth"), "true")
        comparison.equal("session header", start?.header("iPlanetDirectoryPro"), "s-1")
    }

    /// The retried call: with the stronger token, and the same again later.
    private mutating func compareRetry(_ bench: LoopBench, query: String) async {
        for what in ["retried", "later"] {
            let answer = await bench.call(.get, LoopBench.apiPath)
            comparison.equal("\(what): status", answer.status, 200)
            comparison.equal("\(what): body", answer.body, ["done": true])
            let request = bench.received(path).last
            comparison.equal("\(what): token", request?.header("authorization"), "Bearer \(LoopBench.strong)")
            comparison.equal("\(what): query", request?.query, query)
        }
        comparison.equal("standard", (await bench.call(.get, "/bff/standard/user")).status, 200)
    }

    /// One renewal and the same call again; a second refusal is the server's trouble, not the user's.
    private mutating func renew() async throws {
        var replay = self
        for good in [LoopBench.renewed, nil] {
            var options = LoopBench.Options()
            options.path = path
            try await LoopBench.serving(options, api(taking: good)) { bench in
                try await bench.signIn()
                let answer = await bench.call(.get, LoopBench.apiPath)
                replay.compareFirst(bench)
                replay.comparison.equal("status", answer.status, good == nil ? 502 : 200)
                replay.comparison.equal("problem", answer.problem, good == nil ? "upstream-failed" : nil)
                replay.comparison.equal(
                    "tokens", bench.received(replay.path).map { $0.header("authorization") },
                    ["Bearer \(LoopBench.plain)", "Bearer \(LoopBench.renewed)"])
                await replay.compareSession(bench, answer)
            }
        }
        self = replay
    }

    /// An answer that no token would change: 400 is the caller's, a 401 on a route without a token the configuration's.
    private mutating func refused() async throws {
        let sendsToken = fixture.request?["headers"]?["Authorization"] != nil
        var options = LoopBench.Options()
        options.path = path
        options.demand = sendsToken ? .signedIn : .none
        var replay = self
        try await LoopBench.serving(options, api(taking: nil)) { bench in
            try await bench.signIn()
            let answer = await bench.call(.get, LoopBench.apiPath)
            replay.compareFirst(bench)
            replay.comparison.equal("calls", bench.received(replay.path).count, 1)
            let passes = replay.fixture.status == 400
            replay.comparison.equal("status", answer.status, passes ? 400 : 502)
            replay.comparison.equal("problem", answer.problem, passes ? nil : "upstream-failed")
            replay.comparison.equal("renewals", bench.received("/access_token").count, 1)
            await replay.compareSession(bench, answer)
        }
        self = replay
    }

    // MARK: Policy advice

    /// Reads the fixture's advice and follows it.
    mutating func advice() async throws {
        let location = fixture.header("Location")
        let advised = location == nil ? fixture.body["advices"] : fixture.expect?["advices"]
        guard let field = fixture.header("WWW-Authenticate") ?? location, let advices = advised?.object,
            let name = advices.names.first, let value = advices[name]?.array?.first?.string
        else { return comparison.differs("headers: no advice") }
        comparison.known(fixture.expect ?? [:], ["advices"])
        let redirected = location.flatMap { ReceivedChallenge(location: $0) }
        let challenges = redirected.map { [$0] } ?? ReceivedChallenge.parse([field])
        comparison.equal("schemes", challenges.map(\.scheme), ["ssoadvice"])
        comparison.equal("advices", challenges.first?.advices, advices)
        for (name, expected) in location != nil
            ? [] : [("realm", #"realm="([^"]*)""#), ("am_uri", #"am_uri="([^"]*)""#)]
        {
            let match = try Regex(expected).firstMatch(in: field)?.output[1].substring.map { String($0) }
            comparison.equal(name, challenges.first?.parameters[name], match)
        }
        comparison.equal("error", challenges.first?.error, nil)
        let isTransaction = name == "TransactionConditionAdvice"
        for upgrades in isTransaction ? [true, false] : [true] {
            try await follow(name, value, isTransaction: isTransaction, upgrades: upgrades)
        }
    }

    private mutating func follow(
        _ name: String, _ value: String, isTransaction: Bool, upgrades: Bool
    ) async throws {
        var options = LoopBench.Options()
        (options.path, options.upgrades) = (path, upgrades)
        let reply = Reply(fixture)
        var replay = self
        let isDone = Locked(false)
        // A gateway asks AM about the transaction: once, and only with its id.
        let gateway: @Sendable (Received) -> Reply = { received in
            guard isTransaction else {
                return received.header("authorization") == "Bearer \(LoopBench.strong)"
                    ? .json(#"{"done":true}"#) : reply
            }
            let taken = received.parameters.all("_txid") == [value] && isDone.withLock { $0 }
            return taken ? .json(#"{"done":true}"#) : reply
        }
        try await LoopBench.serving(options, gateway) { bench in
            try await bench.signIn()
            let refused = await bench.call(.get, LoopBench.apiPath + "?page=2&_txid=forged")
            replay.comparison.equal("first query", bench.received(replay.path).last?.query, "page=2")
            await replay.compareSession(bench, refused)
            // Before it is authorised no call carries it; the step-up is for the call that was refused last.
            let last = await bench.call(.get, LoopBench.apiPath + "?page=2&x")
            replay.comparison.equal("early query", bench.received(replay.path).last?.query, "page=2&x")
            await replay.compareStepUp(bench, last)
            isDone.withLock { $0 = true }
            let start = bench.received("/authenticate").last?.parameters
            guard isTransaction else {
                replay.comparison.equal("authIndexType", start?.single("authIndexType"), "service")
                // A level is reached by the journey of the requirement that demands it.
                let journey =
                    name == "AuthLevelConditionAdvice"
                    ? "ConfirmPassword" : String(value.split(separator: ":").last ?? "")
                replay.comparison.equal("authIndexValue", start?.single("authIndexValue"), journey)
                return await replay.compareRetry(bench, query: "")
            }
            replay.comparison.equal("authIndexType", start?.single("authIndexType"), "composite_advice")
            replay.comparison.equal(
                "authIndexValue", start?.single("authIndexValue"),
                "<Advices><AttributeValuePair><Attribute name=\"\(name)\"/><Value>\(value)</Value></AttributeValuePair></Advices>"
            )
            await replay.compareTransaction(bench, value)
        }
        self = replay
    }

    /// The retried call has the transaction's id, once, and the next one does not.
    private mutating func compareTransaction(_ bench: LoopBench, _ id: String) async {
        let answer = await bench.call(.get, LoopBench.apiPath + "?page=2&%5ftxid=forged&x")
        comparison.equal("retried: status", answer.status, 200)
        let request = bench.received(path).last
        comparison.equal("retried: query", request?.query, "page=2&x&_txid=\(id)")
        // AM says yes to a failed transaction too, whatever it does to the session: nothing is elevated by that.
        comparison.equal("retried: token", request?.header("authorization"), "Bearer \(LoopBench.plain)")
        let instances = (await bench.call(.get, "/bff/session")).body?["instances"]?.array ?? []
        let state = instances.first { $0["instance"]?.string == "transaction" }?["state"]?.string
        comparison.equal("tokens", state, "none")
        _ = await bench.call(.get, LoopBench.apiPath)
        comparison.equal("next query", bench.received(path).last?.query, "")
        comparison.equal("standard", (await bench.call(.get, "/bff/standard/user")).status, 200)
    }
}
