import Basics
import TestSupport
import Testing

@testable import Sessions

@Suite("What a request may do by its ticket")
struct TicketDecisionTests {
    /// One row of the table.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let status: TicketClaims.Status
        var changes = true
        let isFinal: Bool
        var use = CookieUse.works
        /// Seconds since the change.
        var after: Double = 0
        let decision: TicketDecision

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "an old ticket, nothing changed", status: .current, changes: false, isFinal: true, decision: .act),
        Row(
            name: "the same after a long time", status: .current, changes: false, isFinal: false, after: 3600,
            decision: .act),
        Row(name: "new, first seen", status: .current, isFinal: false, decision: .confirm),
        Row(name: "new, first seen late", status: .current, isFinal: false, after: 3600, decision: .confirm),
        Row(
            name: "new, first seen signing out", status: .current, isFinal: false, use: .endsSession, decision: .confirm
        ),
        Row(
            name: "new, first seen ending a part", status: .current, isFinal: false, use: .endsPart, decision: .confirm),
        Row(name: "new, first seen answering", status: .current, isFinal: false, use: .answers, decision: .confirm),
        Row(name: "new, seen before", status: .current, isFinal: true, decision: .act),
        Row(name: "replaced, at once", status: .superseded, isFinal: false, decision: .readFormer),
        Row(
            name: "replaced, the new one seen, at once", status: .superseded, isFinal: true, decision: .readFormer),
        Row(
            name: "replaced, just before ten seconds", status: .superseded, isFinal: false, after: 9.999,
            decision: .readFormer),
        Row(
            name: "replaced, answers, at once", status: .superseded, isFinal: false, use: .answers,
            decision: .readFormer),
        Row(
            name: "replaced, signs out, unseen", status: .superseded, isFinal: false, use: .endsSession,
            decision: .revert),
        Row(
            name: "replaced, ends a part, unseen", status: .superseded, isFinal: false, use: .endsPart,
            decision: .readFormer),
        Row(
            name: "replaced, proves its device, unseen and late", status: .superseded, isFinal: false,
            use: .provesDevice, after: 10, decision: .readFormer),
        Row(
            name: "replaced, proves its device, seen and late", status: .superseded, isFinal: true,
            use: .provesDevice, after: 10, decision: .dead),
        Row(
            name: "replaced, ends a part, unseen and late", status: .superseded, isFinal: false, use: .endsPart,
            after: 10, decision: .revert),
        Row(
            name: "replaced, ends a part, seen and late", status: .superseded, isFinal: true, use: .endsPart,
            after: 10, decision: .dead),
        Row(
            name: "replaced, signs out, seen", status: .superseded, isFinal: true, use: .endsSession,
            decision: .readFormer),
        Row(
            name: "replaced, signs out, unseen and late", status: .superseded, isFinal: false, use: .endsSession,
            after: 60, decision: .revert),
        Row(
            name: "replaced, signs out, seen and late", status: .superseded, isFinal: true, use: .endsSession,
            after: 10,
            decision: .dead),
        Row(name: "replaced, unseen, ten seconds", status: .superseded, isFinal: false, after: 10, decision: .revert),
        Row(name: "replaced, seen, ten seconds", status: .superseded, isFinal: true, after: 10, decision: .dead),
        Row(
            name: "replaced, unseen, answers within thirty seconds", status: .superseded, isFinal: false,
            use: .answers, after: 29.999, decision: .replay),
        Row(
            name: "replaced, unseen, answers after thirty seconds", status: .superseded, isFinal: false,
            use: .answers, after: 30, decision: .revert),
        Row(
            name: "replaced, seen, answers after thirty seconds", status: .superseded, isFinal: true, use: .answers,
            after: 30, decision: .dead),
    ]

    @Test("is the table's", arguments: rows)
    func table(row: Row) {
        let begin = Timestamp(milliseconds: 1_000_000)
        let change = TicketClaims.Rotation(
            id: "c", readsUntil: begin + .seconds(10), replaysUntil: begin + .seconds(30))
        let claims = TicketClaims(
            status: row.status, epoch: 1, isSignedIn: true, absoluteEnd: begin + .seconds(9999),
            rotation: row.changes ? change : nil)
        let now = begin + .milliseconds(Int64(row.after * 1000))
        #expect(claims.decide(isFinal: row.isFinal, for: row.use, at: now) == row.decision)
    }
}
