import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import TestSupport
import Testing

/// What an introspection endpoint of somebody else's answered about a token.
struct ForeignAnswer: Sendable, CustomTestStringConvertible {
    let folder: ForeignFolder
    let group: String
    let name: String
    let token: String
    let status: Int
    let body: String

    var testDescription: String { "\(group) / \(name)\(folder.mark)" }
    var provider: String {
        folder.has(group + "-discovery.json") ? group : isKeycloak ? "keycloak-26.5.0" : "oidc-provider-9.13.3"
    }
    var isKeycloak: Bool { group.hasPrefix("keycloak") || name.hasPrefix("kc") }
    var json: JSONObject { (try? JSONValue(parsing: Array(body.utf8)))?.object ?? [:] }

    static let all: [ForeignAnswer] = ForeignFolder.all.flatMap { folder -> [ForeignAnswer] in
        let groups = (try? folder.json("introspection-answers.json"))?.object ?? [:]
        return groups.names.flatMap { group in
            let entries = groups[group]?.object ?? [:]
            return entries.names.map { name in
                let entry = entries[name] ?? .null
                return ForeignAnswer(
                    folder: folder, group: group, name: name,
                    token: entry["token"]?.string ?? "opaque-\(name.utf8.count)",
                    status: entry["status"]?.int.map { Int($0) } ?? 200, body: (entry["answer"] ?? entry).asBody)
            }
        }
    }

    /// What the name says of the token; nil for what is told apart by its own test.
    var isAccessToken: Bool? {
        if group == "dpop" { return false }
        if name.contains("refresh") || name.hasSuffix(".id") { return false }
        if status == 400 { return false }
        return name.contains("access") ? true : nil
    }
}

@Suite("What introspection answers elsewhere")
struct ForeignAnswerTests {
    static let now: Int64 = 1_795_303_660

    private func bench(_ answer: ForeignAnswer) throws -> ForeignBench {
        let bench = try ForeignBench(
            answer.folder, provider: answer.provider, keys: answer.provider + "-jwks.json", now: Self.now)
        try bench.introspect(answer.body, status: answer.status)
        return bench
    }

    @Test(
        "lets access tokens in and no others, by audience and by client",
        arguments: ForeignAnswer.all.filter { $0.isAccessToken != nil }, [true, false])
    func answers(answer: ForeignAnswer, byAudience: Bool) async throws {
        let bench = try bench(answer)
        let audiences = answer.json["aud"].map { $0.string.map { [$0] } ?? $0.array?.compactMap(\.string) ?? [] } ?? []
        let client = answer.json["client_id"]?.string ?? "bff"
        let accessGuard = try bench.accessGuard(
            .jwt, audiences: byAudience ? Set(audiences.isEmpty ? ["api"] : audiences) : [],
            clients: byAudience ? [] : [client], asks: ValidationMode.introspection)
        let own = try await bench.ask(accessGuard, Requirement(name: "signed-in"), answer.token)
        // By client only where the answer says no audience, or none but the client.
        let isOurs = byAudience ? !audiences.isEmpty : audiences.allSatisfy { $0 == client }
        let isTaken = answer.isAccessToken == true && isOurs
        #expect(own.status == (isTaken ? 204 : 401))
        // Whatever anybody sends, nobody has to act.
        #expect(bench.log.worst ?? .trace < .warning)
    }

    @Test("is an error of ours when it is signed, which nobody asked for", arguments: ForeignFolder.all)
    func signed(folder: ForeignFolder) async throws {
        let answer = try #require(ForeignAnswer.all.first { $0.folder == folder && $0.name == "rfc9701" })
        let bench = try bench(answer)
        let accessGuard = try bench.accessGuard(.jwt, clients: ["bff"], asks: ValidationMode.introspection)
        let own = try await bench.ask(accessGuard, Requirement(name: "signed-in"), "opaque")
        #expect(own.status == 503 && own.header("retry-after") != nil)
        #expect(bench.log.lines.contains { $0.contains("signed JWT") })
    }

    @Test(
        "is no refusal of a verified token where it only says that signed tokens are not its business",
        arguments: ForeignFolder.all)
    func declined(folder: ForeignFolder) async throws {
        let answer = try #require(ForeignAnswer.all.first { $0.folder == folder && $0.name == "jwt.access_token" })
        let bench = try bench(answer)
        let accessGuard = try bench.accessGuard(.rfc9068, audiences: ["api"], asks: ValidationMode.both)
        let strong = Requirement(name: "strong", acr: .anyOf(["bronze"]), maxAge: .age(.seconds(60)))
        #expect(try await bench.ask(accessGuard, strong, answer.token).status == 204)
        #expect(bench.network.requests.contains { $0.method == .post })
        #expect(bench.log.worst ?? .trace < .warning)
    }
}

@Suite("What providers publish")
struct ForeignDocumentTests {
    @Test("as metadata is understood", arguments: ForeignFolder.files(ending: "discovery.json"))
    func metadata(file: ForeignFile) async throws {
        let provider = file.issuer("-discovery.json")
        let bench = try ForeignBench(
            file.folder, provider: provider, keys: provider + "-jwks.json", now: ForeignAnswerTests.now)
        let directory = ProviderDirectory(transport: bench.network, time: bench.time, logger: .silent)
        let location = ProviderLocation(bench.location, issuer: bench.issuer)
        let deadline = ContinuousClock.now + .seconds(60)
        #expect(try await directory.metadata(location, deadline: deadline).issuer == bench.issuer)
        let issuer = try await directory.issuer(location, deadline: deadline)
        #expect(try !(await directory.keys(of: issuer, deadline: deadline)).keys.isEmpty)
    }

    @Test(
        "with endpoints elsewhere needs them to be allowed, and then works",
        arguments: ForeignFolder.files(ending: "-discovery-backchannel-dynamic.json"))
    func backchannel(file: ForeignFile) async throws {
        let document = try #require(try file.folder.json(file.name).object)
        let keys = file.issuer("-discovery-backchannel-dynamic.json") + "-jwks.json"
        let elsewhere = try #require((document["jwks_uri"]?.string).flatMap { WebURL($0) })
        let bench = try ForeignBench(
            issuer: document["issuer"]?.string ?? "", document: document,
            keys: try file.folder.bytes(keys), now: ForeignAnswerTests.now)
        let directory = ProviderDirectory(transport: bench.network, time: bench.time, logger: .silent)
        let deadline = ContinuousClock.now + .seconds(60)
        let closed = ProviderLocation(bench.location, issuer: bench.issuer)
        await #expect(throws: DiscoveryError.self) { try await directory.metadata(closed, deadline: deadline) }
        let refused = try await directory.issuer(closed, deadline: deadline)
        #expect(throws: DiscoveryError.addressRefused(member: "jwks_uri")) { try refused.keySetAddress() }
        var open = closed
        open.endpointOrigins = [elsewhere.origin]
        let issuer = try await directory.issuer(open, deadline: deadline)
        #expect(try !(await directory.keys(of: issuer, deadline: deadline)).keys.isEmpty)
        #expect(try issuer.introspectionEndpoint().port == elsewhere.port)
    }

    @Test("as keys is used but for keys of encryption", arguments: ForeignFolder.files(ending: "jwks.json"))
    func keys(file: ForeignFile) throws {
        let json = try file.folder.json(file.name)
        let set = try JWKSet(parsing: try file.folder.bytes(file.name))
        for entry in json["keys"]?.array ?? [] {
            let isUsed = set.keys.contains { $0.id == entry["kid"]?.string }
            // The set of the malformed tokens has a key that is too short and one on a curve that nobody uses.
            let isUseless = entry["kid"]?.string == "weak" || entry["crv"]?.string == "secp256k1"
            #expect(isUsed == (entry["use"]?.string != "enc" && !isUseless), "\(entry["kid"]?.string ?? "-")")
        }
        if file.name.hasPrefix("keycloak-26.5.0-jwks.") { #expect(set.keys.contains { $0.algorithm == .ES512 }) }
        if file.name.hasPrefix("oidc-provider") { #expect(set.keys.contains { $0.algorithm == .Ed25519 }) }
    }
}
