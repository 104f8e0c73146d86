import Basics
import Cryptography
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import TestSupport

extension ResourceReplay {
    // MARK: Introspection

    /// Asks a server that answers with the fixture.
    mutating func introspection() async throws {
        let fixture = fixture
        let claims = fixture.body.object ?? [:]
        let now = (claims["auth_time"]?.int ?? claims["iat"]?.int ?? 1_767_225_600) + 60
        let stated = StatedFacts(claims: claims, now: now)
        let form = QueryParameters(parsing: fixture.request?["body"]?.string ?? "") ?? QueryParameters()
        guard let path = url?.path, let token = form.single("token"), let own = credentials else {
            return comparison.differs("request: no question about a token")
        }
        let trusted = fixture.settings?["issuer"]?.string ?? claims["iss"]?.string
        var options = IssuerBench.Options(issuer: trusted ?? "https://openam.example.com/am", now: now)
        options.profile = .am
        let settings = IntrospectionSettings(clientID: own.id, clientSecret: Secret(own.secret))
        options.mode = .introspection(settings)
        // A list of audiences may hold our own; a single one is AM's client, as is `client_id` where there is none.
        if stated.audiences.count > 1 {
            options.audiences = [stated.audiences[0]]
        } else {
            options.clients = [stated.audiences.first ?? claims["client_id"]?.string ?? "nobody"]
        }
        let reply = Locked(Reply(fixture))
        var replay = self
        let byClient = options.audiences.isEmpty
        try await IssuerBench.serving(options, introspection: path, { _ in reply.withLock { $0 } }) { bench in
            let decision = await bench.decide(token)
            let question = bench.provider.received.first { $0.path == path }
            replay.comparison.request(question, fixture)
            replay.comparison.equal("header Accept", question?.header("accept"), "application/json")
            replay.comparison.equal("query", question?.query, "")
            if let expect = fixture.expect, expect["result"]?.string != "accept" {
                await replay.refused(decision, expect, bench, token)
            } else {
                replay.comparison.known(fixture.expect ?? [:], ["result"])
                await replay.taken(stated, bench, token)
                for (name, changed) in stated.spoiled(signed: false, byClient: byClient) {
                    reply.withLock { $0.body = changed.text }
                    // A token that was not seen before: what is kept of the last answer does not count.
                    let refused = await bench.decide("\(token)-\(name)", Requirement(name: "signed-in"))
                    replay.comparison.equal("\(name) spoiled", refused, .challenge(Challenge(.invalidToken)))
                }
                var ofClient = claims
                ofClient["grant_type"] = "client_credentials"
                reply.withLock { $0.body = ofClient.text }
                let answer = await bench.ask("high-value", "\(token)-client")
                // However strong it says that it is: nobody signed in.
                replay.comparison.equal("client's own: status", answer.status, 403)
            }
        }
        self = replay
    }

    /// The resource server's own id and secret in the fixture's request.
    private var credentials: (id: String, secret: String)? {
        guard let header = fixture.request?["headers"]?["Authorization"]?.string, header.hasPrefix("Basic "),
            let bytes = Base64.decode(String(header.dropFirst(6)))
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let id = PercentEncoding.decode(parts[0]), let secret = PercentEncoding.decode(parts[1])
        else { return nil }
        return (id, secret)
    }

    /// Compares a token that has to be refused, or that cannot be judged, with `result`.
    private mutating func refused(
        _ decision: AccessDecision, _ expect: JSONObject, _ bench: IssuerBench, _ token: String
    ) async {
        comparison.known(expect, ["result", "check"])
        if let check = expect["check"]?.string { comparison.equal("check", bench.refusedBy, check) }
        // Of the one question so far: whether somebody has to act is said by the level.
        let level = bench.log.worst
        let answer = await bench.ask("high-value", token)
        switch expect["result"]?.string {
        case "inactive", "reject":
            comparison.equal("decision", decision, .challenge(Challenge(.invalidToken)))
            comparison.equal("status", answer.status, 401)
            comparison.equal(
                "challenge", answer.all("www-authenticate"),
                [
                    #"Bearer realm="cloakroom", error="invalid_token", error_description="The access token is expired, revoked or not valid here""#
                ])
            comparison.equal("problem", answer.problem, "invalid-token")
            comparison.equal("required", answer.body?["required"], nil)
        case "machine":
            // Nobody signed in, so nobody can sign in better.
            comparison.equal("status", answer.status, 403)
            comparison.equal("status of signed-in", (await bench.ask("signed-in", token)).status, 403)
        case "unavailable", "configurationError":
            if case .unavailable = decision {} else { comparison.differs("decision: \(decision)") }
            comparison.equal("alarm", level, expect["result"]?.string == "unavailable" ? .warning : .error)
            comparison.equal("status", answer.status, 503)
            comparison.equal("challenge", answer.all("www-authenticate"), [])
            comparison.equal("problem", answer.problem, "issuer-unavailable")
        default: comparison.differs("result: this replay does not know \(expect["result"]?.text ?? "its absence")")
        }
    }

    /// Compares a token that is taken, member for member.
    private mutating func taken(_ stated: StatedFacts, _ bench: IssuerBench, _ token: String) async {
        switch await bench.decide(token, Requirement(name: "signed-in")) {
        case .allow(let facts): stated.compare(facts, &comparison)
        case let decision: comparison.differs("decision: \(decision), expected the token to be taken")
        }
        stated.compare(signedIn: await bench.ask("signed-in", token), &comparison)
        stated.compare(highValue: await bench.ask("high-value", token), &comparison)
    }

    // MARK: Signed tokens

    /// Made once: a new RSA key is most of the time of a replay.
    private static let rsa = Result { (issuer: try PrivateKey.generateRSA(), stranger: try PrivateKey.generateRSA()) }

    private static func issuerKey(_ id: String) throws -> SigningKey {
        try SigningKey(try rsa.get().issuer, .RS256, keyID: id)
    }

    /// Of the same name, and published nowhere.
    private static func strangerKey(_ id: String) throws -> SigningKey {
        try SigningKey(try rsa.get().stranger, .RS256, keyID: id)
    }

    /// Signs the fixture's claims and presents the token.
    mutating func jwt() async throws {
        guard let header = fixture.body["header"]?.object, let claims = fixture.body["claims"]?.object,
            let expect = fixture.expect, let issuer = fixture.settings?["issuer"]?.string ?? claims["iss"]?.string
        else { return comparison.differs("body: no decoded token") }
        let now = (claims["iat"]?.int ?? 1_767_225_600) + 60
        let stated = StatedFacts(claims: claims, now: now)
        let key = try Self.issuerKey(header["kid"]?.string ?? "k1")
        let token = try compact(header, claims, key)
        comparison.equal("header", try Self.header(of: token), header)

        var options = IssuerBench.Options(issuer: issuer, now: now)
        options.keys = [key.jwk]
        let isAM = claims["tokenName"] != nil
        options.profile = isAM ? .am : .rfc9068
        options.audiences = Set(stated.audiences)
        if let settings = fixture.settings {
            if let name = settings["profile"]?.string {
                guard let profile = TokenProfile(rawValue: name) else { return comparison.differs("profile: unknown") }
                options.profile = profile
            }
            if let audiences = settings["audiences"]?.array { options.audiences = Set(audiences.compactMap(\.string)) }
            if let clients = settings["clients"]?.array { options.clients = Set(clients.compactMap(\.string)) }
        }
        var replay = self
        try await IssuerBench.serving(options) { bench in
            let type = header["typ"]?.string
            guard expect["result"]?.string == "accept" else {
                await replay.refused(await bench.decide(token), expect, bench, token)
                // Where the check is named that refuses, nothing else is in question.
                if expect["check"] != nil || expect["result"]?.string == "machine" { return }
                // The same without its one fault is taken: it was refused for nothing else.
                var mended = claims
                if isAM { mended["tokenName"] = "access_token" }
                let decision = await bench.decide(
                    try key.sign(claims: mended, type: type), Requirement(name: "signed-in"))
                if case .allow = decision { return }
                return replay.comparison.differs("mended: \(decision), expected the token to be taken")
            }
            replay.comparison.known(expect, ["result"])
            await replay.taken(stated, bench, token)
            let stranger = try Self.strangerKey(key.keyID).sign(claims: claims, type: type)
            var bad = [("signature", stranger), ("algorithm", try Self.unsigned(header, claims))]
            for (name, changed) in stated.spoiled(signed: true, byClient: false) {
                bad.append((name, try key.sign(claims: changed, type: type)))
            }
            for (name, token) in bad {
                let refused = await bench.decide(token, Requirement(name: "signed-in"))
                replay.comparison.equal("\(name) spoiled", refused, .challenge(Challenge(.invalidToken)))
            }
        }
        self = replay
    }

    private func compact(_ header: JSONObject, _ claims: JSONObject, _ key: SigningKey) throws -> String {
        guard header["alg"]?.string != "none" else { return try Self.unsigned(header, claims) }
        return try key.sign(claims: claims, type: header["typ"]?.string)
    }

    private static func unsigned(_ header: JSONObject, _ claims: JSONObject) throws -> String {
        var header = header
        header["alg"] = "none"
        return Base64URL.encode(JSONValue.object(header).serialized()) + "."
            + Base64URL.encode(JSONValue.object(claims).serialized()) + "."
    }

    /// The header of a token, its members in the order of their names.
    private static func header(of token: String) throws -> JSONObject {
        let first = token.prefix { $0 != "." }
        return try JSONValue(parsing: Base64URL.decode(String(first)) ?? []).object ?? [:]
    }

    // MARK: Our own challenges

    /// Brings about what the fixture's resource server says, and compares what ours says.
    mutating func ownChallenge() async throws {
        let attributes = bearer
        let now: Int64 = 1_767_225_660
        let age = attributes["max_age"].flatMap { Int64($0) }
        let acr = attributes["acr_values"]?.split(separator: " ").map(String.init)
        let requirement = Requirement(
            name: "asked", scopes: attributes["scope"]?.split(separator: " ").map(String.init) ?? [],
            acr: acr.map { .anyOf($0) }, maxAge: age.map { .age(.seconds($0)) }, challengeACR: attributes["acr_values"])
        let key = try Self.issuerKey("k1")
        var options = IssuerBench.Options(issuer: "https://as.example.com", now: now)
        (options.audiences, options.keys, options.requirements) = (["https://rs.example.com"], [key.jwk], [requirement])
        let expired = attributes["error"] == "invalid_token"
        let token = try key.sign(
            claims: [
                "iss": "https://as.example.com", "sub": "demo", "aud": "https://rs.example.com", "client_id": "spa",
                "iat": .number(JSONNumber(now - 60)), "exp": .number(JSONNumber(expired ? now - 60 : now + 60)),
                "auth_time": .number(JSONNumber(now - 60)), "scope": "profile", "jti": "j-1",
            ], type: "at+jwt")
        let fixture = fixture
        var replay = self
        try await IssuerBench.serving(options) { bench in
            let sendsToken = fixture.request?["headers"]?["Authorization"] != nil
            let answer = await bench.ask(
                "asked", sendsToken ? token : nil,
                query: attributes["error"] == "invalid_request" ? "?access_token=\(token)" : "")
            replay.comparison.equal("own status", answer.status, fixture.status)
            replay.comparison.equal(
                "own Cache-Control", answer.header("cache-control"), fixture.header("Cache-Control"))
            let fields = answer.all("www-authenticate")
            replay.comparison.equal("own challenges", fields.count, 1)
            let challenge = ReceivedChallenge.parse(fields).first
            var own = challenge?.parameters ?? [:]
            var expected = attributes
            // Texts for people, and the name of the realm, are each server's own.
            for name in ["realm", "error_description"] {
                own[name] = nil
                expected[name] = nil
            }
            if own["error"] == "insufficient_user_authentication" || own["error"] == "insufficient_scope" {
                let required = answer.body?["required"]
                replay.comparison.equal("required scope", required?["scope"], Self.list(attributes["scope"]))
                replay.comparison.equal("required maxAge", required?["maxAge"]?.int, age)
                replay.comparison.equal("required acr", required?["acr"]?.string, attributes["acr_values"])
            } else {
                replay.comparison.equal("required", answer.body?["required"], nil)
            }
            replay.comparison.equal("own scheme", challenge?.scheme, "bearer")
            replay.comparison.equal("own attributes", own, expected)
            replay.comparison.equal("own realm", challenge?.parameters["realm"], "cloakroom")
        }
        self = replay
    }

    private static func list(_ words: String?) -> JSONValue? {
        words.map { .array($0.split(separator: " ").map { .string(String($0)) }) }
    }
}
