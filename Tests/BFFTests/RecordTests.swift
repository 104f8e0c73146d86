import Basics
import Cryptography
import JSON
import OpenIDConnect
import TestSupport
import Testing

@testable import BFF

@Suite("Stored records")
struct RecordTests {
    private let now = Timestamp(seconds: 1_767_225_600)

    private var flow: FlowRecord {
        FlowRecord(
            id: FlowRecord.newID(), instance: InstanceName(client: "standard", account: "alice"), started: now,
            ends: now + .seconds(600), macKey: SecureRandom.bytes(32), step: 3,
            phase: .sent(mac: SecureRandom.bytes(32), deadline: now + .seconds(45)), position: [1, 2, 3], replace: true,
            noSession: false,
            goal: StepUpGoal(
                requirement: "high", issuer: "https://a", subject: "ü", route: "/api/x", transaction: transaction),
            refusal: FlowRecord.Refusal("No", ["a", 1]),
            kept: FlowRecord.KeptAnswer(
                step: 2, mac: [1], outcome: .node(Array("{}".utf8)), until: now, newSecret: SecureRandom.bytes(32)))
    }

    private var transaction: HeldTransaction {
        HeldTransaction(id: "t-1", target: [1, 2], advice: #"{"TransactionConditionAdvice":["t-1"]}"#)
    }

    private var rounds: LoopGuard {
        var rounds = LoopGuard()
        _ = rounds.offer("/api/x", "high", account: "alice", target: nil, epoch: 3, at: now)
        return rounds.raising(
            RaisedRoute(
                route: "/api/y", account: "", client: "gold",
                transaction: AuthorizedTransaction(id: "t-1", target: [3], until: now))
        ).raising(RaisedRoute(route: "/api/z", account: "alice", client: nil, transaction: nil))
    }

    private var meta: MetaRecord {
        var meta = MetaRecord(created: now, absoluteEnd: now + .seconds(8 * 3600), epoch: 7)
        meta.put(
            MetaRecord.TokenEntry(
                field: "token/journey/s/", client: "standard", account: "", sessionField: "session/journey/s/",
                issuer: "https://a", subject: "ü", signedInAt: now, limitEnd: nil, accessEnd: now, epoch: 7))
        meta.put(
            MetaRecord.SessionEntry(
                field: "session/journey/s/", client: "standard", account: "", issuer: "https://a", subject: "ü"))
        meta.flows = [flow.entry]
        return meta
    }

    private var user: UserRecord {
        UserRecord(
            epoch: 1, accessEnd: now, renewFrom: nil, limitEnd: now, idleLimit: 40_000, lastUsed: now, hasClaims: false,
            claimsFrom: now, head: Array("{".utf8)[...])
    }

    private var claims: TicketClaims {
        TicketClaims(
            standing: .superseded, epoch: 3, isSignedIn: true, absoluteEnd: now,
            change: TicketClaims.Change(id: "c", readsUntil: now, replaysUntil: now))
    }

    private func check<Record: Equatable>(
        _ record: Record, _ bytes: [UInt8], _ decode: ([UInt8]) throws -> Record
    ) throws {
        #expect(try decode(bytes) == record)
        // Cut anywhere, continued, or of another version: an error.
        for count in 0..<bytes.count {
            #expect(throws: RecordReader.Malformed.self) { try decode(Array(bytes.prefix(count))) }
        }
        #expect(throws: RecordReader.Malformed.self) { try decode(bytes + [0]) }
        #expect(throws: RecordReader.Malformed.self) { try decode([bytes[0] + 1] + bytes.dropFirst()) }
        // Changed anywhere: an error or another record, never a crash and never endless.
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0...Int.random(in: 0..<3) { changed[.random(in: changed.indices)] = .random(in: 0...255) }
            _ = try? decode(changed)
        }
    }

    @Test("survive coding, and nothing else decodes")
    func coding() throws {
        let flow = flow
        try check(flow, flow.encoded) { try FlowRecord(decoding: $0) }
        var ended = flow
        ended.end()
        ended.kept = FlowRecord.KeptAnswer(step: 1, mac: [], outcome: .subjectChanged, until: now)
        try check(ended, ended.encoded) { try FlowRecord(decoding: $0) }
        try check(rounds, rounds.encoded) { try LoopGuard(decoding: $0) }
        let challenge = StepUpChallenge(
            requirement: "high", acrValues: ["gold", ""], route: "/api/x", transaction: transaction)
        try check(challenge, challenge.encoded) { try StepUpChallenge(decoding: $0) }
        let meta = meta
        try check(meta, meta.encoded) { try MetaRecord(decoding: $0) }
        try check(user, user.encoded) { try UserRecord(decoding: $0) }
        try check(claims, claims.encoded) { try TicketClaims(decoding: $0) }
    }

    @Test("decide on a step by a table", arguments: [0, 1, 2])
    func decisions(phase: Int) {
        var flow = flow
        flow.kept?.until = now + .seconds(60)
        let mac = [UInt8](repeating: 7, count: 32)
        flow.phase = [.ready, .sent(mac: mac, deadline: now + .seconds(45)), .ended][phase]
        let kept = flow.kept
        func decide(_ step: Int, _ mac: [UInt8], _ seconds: Int64 = 0) -> StepDecision {
            flow.decide(step: step, mac: mac, at: now + .seconds(seconds))
        }
        // Answered: the same again, for as long as it is kept.
        #expect(decide(2, [1]) == kept.map { .replay($0) })
        #expect(decide(2, [1], 60) != kept.map { .replay($0) })
        #expect(decide(2, [2]) == [.stale, .stale, .expired][phase])
        #expect(decide(3, [1]) == [.send, .stale, .expired][phase])
        #expect(decide(3, mac) == [.send, .wait(until: now + .seconds(45)), .expired][phase])
        #expect(decide(4, mac) == [.stale, .stale, .expired][phase])
        #expect(decide(3, mac, 45) == [.send, .outcomeUnknown, .expired][phase])
        #expect(decide(3, mac, 600) == .expired)
    }

    @Test("have names that cannot collide")
    func names() {
        let accounts = ["", "a", "b", "a-b", "session", "s"]
        let storages = ["", "s", "a", "s/a", "/", "s/", "a/b", "~x"]
        var fields = Set([MetaRecord.field, AnonymousSessions.marker])
        var count = 2
        for purpose in [StorageAddress.Purpose.session, .token, .user] {
            for storage in storages {
                for account in accounts {
                    fields.insert(
                        StorageAddress(kind: .journey, purpose: purpose, name: storage, account: account).field)
                    count += 1
                }
            }
        }
        fields.insert(FlowRecord.field(FlowRecord.newID()))
        #expect(fields.count == count + 1)
        #expect(FlowRecord.isID(FlowRecord.newID()))
        for id in [
            "", "f_", "f_" + String(repeating: "a", count: 21), "f_" + String(repeating: "a", count: 23),
            "F_" + String(repeating: "a", count: 22), "f_" + String(repeating: "ä", count: 11),
        ] {
            #expect(!FlowRecord.isID(id))
        }
    }

    @Test(
        "let instance names be read one way only",
        arguments: [
            ("standard", "standard", ""), ("standard:alice", "standard", "alice"), ("a:b", "a", "b"), ("-:_", "-", "_"),
        ])
    func instanceNames(text: String, client: String, account: String) throws {
        let name = try #require(InstanceName(text))
        #expect(name.client == client && name.account == account && name.text == text)
    }

    @Test("show an older cookie nothing newer")
    func asSeen() {
        var meta = meta
        #expect(meta.asSeen(from: 6).tokens.isEmpty && meta.asSeen(from: 6).sessions.isEmpty)
        #expect(meta.asSeen(from: 7).tokens.count == 1 && meta.asSeen(from: 7).flows.isEmpty)
        meta.tokens[0].epoch = 0
        #expect(meta.asSeen(from: 0).sessions.count == 1)
    }

    @Test("render claims back and forth")
    func claimsInHead() throws {
        let tokens = TokenSet(
            accessToken: Secret("x"), scopes: ["a\"b"], issuedAt: now, expiresAt: nil, issuer: "i", clientID: "c",
            subject: "s\u{1F600}\\")
        let claims: JSONObject = [
            "n": .number(JSONNumber(lexeme: "1.10")!), "o": ["x": [1, nil, true]], "claims": "y",
        ]
        let head = UserDocument.head(tokens, claims: claims, session: SessionFacts(realm: "/a", successURL: "/x"))
        #expect(UserDocument.claims(in: head[...]) == claims)
        var user = user
        user.head = head[...]
        let document = try JSONValue(parsing: user.document(at: now - .seconds(5), idle: 1, absolute: 9))
        #expect(document["token"]?["expiresIn"]?.int == 5 && document["expiresIn"]?["absolute"]?.int == 5)
        #expect(UserDocument.claims(in: Array("{".utf8)[...]) == nil)
        // Digits of every length, and a time that has passed meanwhile.
        (user.limitEnd, user.idleLimit) = (nil, nil)
        for value in [0, 9, 10, 99, 100, 28_800, .max, -1, .min] as [Int64] {
            let document = try JSONValue(parsing: user.document(at: now + .seconds(1), idle: value, absolute: .max))
            #expect(document["expiresIn"]?["idle"]?.int == max(0, value))
            #expect(document["token"]?["expiresIn"]?.int == 0)
        }
    }

    @Test("say when the client's own limits end it, where that is before the session's end")
    func limits() throws {
        var record = user
        let tokens = TokenSet(
            accessToken: Secret("x"), scopes: [], issuedAt: now, expiresAt: nil, issuer: "i", clientID: "c",
            subject: "s")
        record.head = UserDocument.head(tokens, claims: nil, session: nil)[...]
        record.accessEnd = now + .seconds(300)
        func seconds(_ limit: Int64?, _ idle: Int64?) throws -> [Int64?] {
            record.limitEnd = limit.map { now + .seconds($0) }
            record.idleLimit = idle.map { $0 * 1000 }
            let document = try JSONValue(parsing: record.document(at: now, idle: 1800, absolute: 28_800))
            return [
                document["token"]?["expiresIn"]?.int, document["expiresIn"]?["idle"]?.int,
                document["expiresIn"]?["absolute"]?.int,
            ]
        }
        #expect(try seconds(nil, nil) == [300, 1800, 28_800])
        #expect(try seconds(8, nil) == [8, 8, 8])
        #expect(try seconds(600, 40) == [300, 40, 600])
        #expect(try seconds(-1, -1) == [0, 0, 0])
    }
}

@Suite("A refusal of the provider")
struct TokenFaultTests {
    @Test(
        "names what was refused, so that the log says it",
        arguments: [
            (OpenIDError.rejected(code: "invalid_scope", status: 400), "invalid_scope"),
            (.rejected(code: "", status: 404), "status 404"),
            (.configuration("no userinfo endpoint"), "no userinfo endpoint"),
            (.invalidIDToken(check: "nonce"), "nonce"), (.invalidUserinfo, "userinfo"),
        ])
    func check(error: OpenIDError, expected: String) {
        #expect(TokenFault(error) == .refused(check: expected))
    }

    @Test("to know the client is a case of its own, with what may be changed")
    func unknownClient() {
        #expect(TokenFault(.invalidClient) == .unknownClient(check: "client authentication"))
        #expect(TokenFault(.invalidClient, "try x") == .unknownClient(check: "client authentication: try x"))
        #expect(TokenFault(.noRevocation) == .unsupported)
        #expect(BFFError(.unknownClient(check: "x")) == .providerRefused && BFFError(.unsupported) == .providerRefused)
    }
}
