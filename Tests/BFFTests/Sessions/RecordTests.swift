import Basics
import Cryptography
import JSON
import JourneyProduct
import OpenIDConnect
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI
@testable import Sessions

@Suite("Stored records")
struct RecordTests {
    private let now = Timestamp(seconds: 1_767_225_600)

    private var flow: FlowRecord {
        FlowRecord(
            id: FlowRecord.newID(), instance: InstanceName(client: "standard", account: "alice"), started: now,
            ends: now + .seconds(600), macKey: SecureRandom.bytes(32), step: 3,
            phase: .sent(mac: SecureRandom.bytes(32), deadline: now + .seconds(45)), position: [1, 2, 3], replace: true,
            goal: StepUpGoal(
                purpose: "high",
                requirement: "high", issuer: "https://a", subject: "ü", route: "/api/x", transaction: transaction),
            refusal: FlowRecord.Refusal("No", ["a", 1]),
            kept: FlowRecord.KeptAnswer(
                step: 2, mac: [1], outcome: .page(at: now), until: now, newSecret: SecureRandom.bytes(32)))
    }

    private var transaction: HeldTransaction {
        HeldTransaction(id: "t-1", target: [1, 2], advice: #"{"TransactionConditionAdvice":["t-1"]}"#)
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

    private var facts: UserFacts { RecordSamples.facts }

    private var user: UserRecord {
        UserRecord(
            epoch: 1, accessEnd: now, renewFrom: nil, limitEnd: now, idleLimit: 40_000, lastUsed: now, hasClaims: false,
            claimsFrom: now, facts: facts.encoded[...], format: 7, rendered: Array("{".utf8)[...])
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

    @Test("show an older cookie nothing newer")
    func asSeen() {
        var meta = meta
        #expect(meta.asSeen(from: 6).tokens.isEmpty && meta.asSeen(from: 6).sessions.isEmpty)
        #expect(meta.asSeen(from: 7).tokens.count == 1 && meta.asSeen(from: 7).flows.isEmpty)
        meta.tokens[0].epoch = 0
        #expect(meta.asSeen(from: 0).sessions.count == 1)
    }

    @Test("are rendered as the API shows them, with the seconds that are left")
    func rendered() throws {
        var user = user
        user.show(facts, by: UserDocument())
        user.limitEnd = now
        let head = String(decoding: user.rendered, as: UTF8.self)
        let expected =
            #"{"subject":"s😀\\","claims":{"n":1.10,"o":{"x":[1,null,true]},"claims":"y"},"#
            + #""session":{"realm":"/a","successUrl":"/x"},"token":{"scope":["a\"b","c"],"acr":"gold","#
            + #""amr":["pwd","otp"],"authLevel":-3,"authTime":1767225600,"expiresIn":"#
        #expect(head == expected)
        func document(_ date: Timestamp, _ idle: Int64, _ absolute: Int64) throws -> JSONValue {
            let shown = try #require(user.user(UserDocument(), at: date, idle: idle, absolute: absolute))
            return try JSONValue(parsing: shown.body)
        }
        let early = try document(now - .seconds(5), 1, 9)
        #expect(early["token"]?["expiresIn"]?.int == 5 && early["expiresIn"]?["absolute"]?.int == 5)
        // Digits of every length, and a time that has passed meanwhile.
        (user.limitEnd, user.idleLimit) = (nil, nil)
        for value in [0, 9, 10, 99, 100, 28_800, .max, -1, .min] as [Int64] {
            let document = try document(now + .seconds(1), value, .max)
            #expect(document["expiresIn"]?["idle"]?.int == max(0, value))
            #expect(document["token"]?["expiresIn"]?.int == 0)
        }
    }

    /// Another form of the same facts.
    private struct OtherForm: UserRenderer {
        let format: UInt64 = 99

        func render(_ user: UserFacts) -> [UInt8] { Array("new \(user.subject)".utf8) }
    }

    @Test("are rendered anew where they are stored in another form, and as they are stored where it is the same")
    func otherForm() throws {
        var user = user
        user.show(facts, by: UserDocument())
        let anew = try #require(user.user(OtherForm(), at: now, idle: 1, absolute: 1))
        #expect(Array(anew.rendered) == Array("new \(facts.subject)".utf8))
        user.format = 99
        let stored = try #require(user.user(OtherForm(), at: now, idle: 1, absolute: 1))
        #expect(stored.rendered == user.rendered)
        (user.format, user.facts) = (0, [])
        #expect(user.user(OtherForm(), at: now, idle: 1, absolute: 1) == nil)
    }

    @Test("say when the client's own limits end it, where that is before the session's end")
    func limits() throws {
        var record = user
        record.show(UserFacts(subject: "s"), by: UserDocument())
        record.accessEnd = now + .seconds(300)
        func seconds(_ limit: Int64?, _ idle: Int64?) throws -> [Int64?] {
            record.limitEnd = limit.map { now + .seconds($0) }
            record.idleLimit = idle.map { $0 * 1000 }
            let user = try #require(record.user(UserDocument(), at: now, idle: 1800, absolute: 28_800))
            let document = try JSONValue(parsing: user.body)
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
            (.invalidIDToken(check: "nonce"), "nonce"), (.invalidUserinfo, "userinfo"),
        ])
    func check(error: OpenIDError, expected: String) {
        #expect(TokenError(error) == .refused(check: expected))
    }

    @Test("keeps what was expected and what came, and every line that names the check has them")
    func values() async throws {
        let mismatch = Mismatch(expected: "https://a", found: "https://b")
        #expect(TokenError(.invalidIDToken(check: "iss", mismatch)) == .refused(check: "iss", mismatch))
        #expect(TokenError(.invalidResponse(check: "iss", mismatch)) == .refused(check: "iss", mismatch))
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.refresh, .refused(check: "iss", mismatch))
        await #expect(throws: BFFError.self) { try await browser.refreshToken() }
        fixture.provider.fail(.userinfo, .refused(check: "iss", mismatch))
        await #expect(throws: BFFError.self) { try await browser.user(refresh: true) }
        let lines = fixture.log.lines.filter { $0.hasPrefix("error") }
        #expect(lines.count == 2)
        #expect(
            lines.allSatisfy { $0.contains("check=iss client=standard expected=https://a found=https://b") },
            "\(lines)")
    }

    @Test("to know the client is a case of its own, with what may be changed")
    func unknownClient() {
        #expect(TokenError(.invalidClient) == .unknownClient(check: "client authentication"))
        #expect(TokenError(.invalidClient, "try x") == .unknownClient(check: "client authentication: try x"))
        #expect(TokenError(.noRevocation) == .unsupported)
        #expect(BFFError(.unknownClient(check: "x")) == .providerRefused && BFFError(.unsupported) == .providerRefused)
    }
}
