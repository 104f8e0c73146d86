import Basics
import HTTPCore
import JSON
import Logs
import OpenIDConnect
import ResourceServer
import TestSupport
import Testing

@Suite("A token that another provider issued")
struct ForeignTokenTests {
    /// What the folder wants and cannot be right: the answer that it names states no scope at all, so none is granted.
    private static let contradictions = [
        "OP access token svc-opaque": #""requirement":"scope read, machines: true""#
    ]

    @Test("is taken or refused as an access token", arguments: ForeignCase.uses("access"))
    func access(use: ForeignCase) async throws {
        let answer = try use.answer()
        let facts = try answer.flatMap { try JSONValue(parsing: Array($0.utf8)).object } ?? use.claims
        let issued = use.validFrom ?? facts["iat"]?.int ?? 0
        let bench = try ForeignBench(use.folder, provider: use.provider, keys: use.keys, now: issued + 1)
        let accessGuard: AccessGuard
        if let answer {
            try bench.introspect(answer)
            accessGuard = try bench.accessGuard(
                try use.profile(), audiences: Set([facts["aud"]?.string].compactMap { $0 }),
                clients: Set([facts["client_id"]?.string].compactMap { $0 }), asks: ValidationMode.introspection)
        } else {
            let audiences = use.want["audiences"]?.array?.compactMap(\.string) ?? []
            accessGuard = try bench.accessGuard(try use.profile(), audiences: Set(audiences))
        }
        let own = try await bench.ask(accessGuard, try use.requirement(), use.token)
        if let mark = Self.contradictions[use.name], JSONValue.object(use.want).text.contains(mark) {
            #expect(own.status == 403)
            return
        }
        #expect(Int64(own.status) == use.want["status"]?.int)
        if let check = use.want["check"]?.string { #expect(bench.refusedBy == check) }
        if let error = use.want["error"]?.string {
            #expect(own.header("www-authenticate")?.contains(#"error="\#(error)""#) == true)
        }
        let isMachine = use.name.contains("svc-")
        guard own.status == 204 else { return }
        #expect(own.header("x-auth-subject") == (isMachine ? "" : facts["sub"]?.string))
        let client = facts["client_id"]?.string ?? facts["azp"]?.string ?? ""
        #expect(own.header("x-auth-client") == (isMachine ? "svc" : client))
    }

    @Test("is taken or refused as an ID token", arguments: ForeignCase.uses("id"))
    func idToken(use: ForeignCase) async throws {
        let bench = try ForeignBench(
            use.folder, provider: use.provider, keys: use.keys, now: (use.validFrom ?? 0) + 1)
        // `at_hash` is of an access token of the same algorithm, where the folder has that.
        let algorithm = use.name.split(separator: " ").dropFirst(3).first.map { String($0) } ?? ""
        let partner =
            use.access
            ?? ForeignCase.all.first {
                $0.name == "KC access token \(algorithm)" && $0.provider == use.provider
            }?.token
        let error = try await bench.take(
            idToken: use.token, accessToken: partner ?? "opaque", client: use.want["client"]?.string ?? "",
            subject: use.claims["sub"]?.string ?? "")
        guard use.want["accepted"]?.bool == true else {
            #expect(error != nil)
            return
        }
        if use.claims["at_hash"] == nil || partner != nil {
            #expect(error == nil)
        } else {
            // The last of the checks: everything before it, the signature too, is right.
            #expect(error == .invalidIDToken(check: "at_hash"))
        }
    }

    @Test("that ends a session is not taken for anything else, and is not used yet", arguments: ForeignFolder.all)
    func logout(folder: ForeignFolder) {
        let uses = ForeignCase.uses("logout").filter { $0.folder == folder }
        #expect(uses.count == 2)
        for use in uses { #expect(ForeignCase.uses("access").contains { $0.token == use.token }) }
    }

    @Test("is there in every use that its folder lists", arguments: ForeignFolder.all)
    func uses(folder: ForeignFolder) {
        let uses = ForeignCase.all.filter { $0.folder == folder }.map(\.use)
        #expect(Set(uses) == ["access", "id", "logout"])
    }
}

/// A token with a fault, or without one.
struct MalformedToken: Sendable, CustomTestStringConvertible {
    let folder: ForeignFolder
    let name: String
    let token: String
    /// Any of these is right.
    let want: [Int]
    /// What else of the answer is stated.
    let extra: [(name: String, value: String)]

    var testDescription: String { name + folder.mark }

    static let all: [MalformedToken] = ForeignFolder.all.flatMap { list(of: $0) }

    static func list(of folder: ForeignFolder) -> [MalformedToken] {
        let file = try? folder.json("malformed-tokens.json")
        return (file?["cases"]?.array ?? []).compactMap { read($0, folder) }
    }

    private static func read(_ entry: JSONValue, _ folder: ForeignFolder) -> MalformedToken? {
        guard let name = entry["name"]?.string, let token = entry["token"]?.string, let want = entry["want"],
            // The folder has cut the longest two.
            !token.hasSuffix("…")
        else { return nil }
        let extra = entry["extra"]?.object ?? [:]
        return MalformedToken(
            folder: folder, name: name, token: token,
            want: (want.array ?? [want]).compactMap { $0.int.map { Int($0) } },
            extra: extra.names.map { ($0, extra[$0]?.string ?? "") })
    }
}

@Suite("A token with a fault")
struct MalformedTokenTests {
    private func bench(_ folder: ForeignFolder) throws -> ForeignBench {
        let file = try folder.json("malformed-tokens.json")
        let issuer = file["issuer"]?.string ?? ""
        let document: JSONObject = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/a"),
            "token_endpoint": .string(issuer + "/t"), "jwks_uri": .string(issuer + "/keys"),
        ]
        return try ForeignBench(
            issuer: issuer, document: document, keys: try folder.bytes("malformed-jwks.json"),
            // Else 2026-11-21T23:32:09Z, which a file may say in words.
            now: file["valid_at"]?.int ?? 1_795_303_929)
    }

    @Test("gets the answer that is right", arguments: MalformedToken.all)
    func alone(sample: MalformedToken) async throws {
        let bench = try bench(sample.folder)
        let accessGuard = try bench.accessGuard(.rfc9068, audiences: ["api"])
        let own = try await bench.ask(accessGuard, Requirement(name: "signed-in"), sample.token)
        #expect(sample.want.contains(own.status))
        for (name, value) in sample.extra { #expect(own.header(name.lowercased()) == value) }
    }

    @Test("gets the same after all the others", arguments: ForeignFolder.all)
    func together(folder: ForeignFolder) async throws {
        let bench = try bench(folder)
        let samples = MalformedToken.list(of: folder)
        let accessGuard = try bench.accessGuard(.rfc9068, audiences: ["api"])
        for sample in samples + samples {
            let own = try await bench.ask(accessGuard, Requirement(name: "signed-in"), sample.token)
            #expect(sample.want.contains(own.status), "\(sample.name): \(own.status)")
        }
        #expect(samples.count > 60)
        #expect(bench.log.worst ?? .trace < .warning)
    }
}
