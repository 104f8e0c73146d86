import Basics
import Cryptography
import Logs
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("What becomes of a refused sign-in")
struct RefusalDecisionTests {
    private static let route = StepUpGoal(
        purpose: "signed-in", requirement: nil, issuer: "i", subject: "s", route: "pay",
        transaction: HeldTransaction(id: "t", target: [1], advice: "{}"))
    private static let stepUp = StepUpGoal(
        purpose: "gold", requirement: "gold", issuer: "i", subject: "s", route: nil, transaction: nil)

    private static let tokens = Revocable.tokens(RecordSamples.tokens.encoded, "standard")
    private static let session = Revocable.session([1], "standard")

    /// A sign-in that needed no page.
    private func refused(
        _ refusal: StepUpRefusal, _ goal: StepUpGoal?, sessionIsNew: Bool
    ) throws -> RefusedSignIn {
        let time = ManualTime()
        let client = FakeSignInClient(FakeProvider(time: time))
        let definition = ClientDefinition(
            name: "standard", flows: client, tokens: client, sessionStorage: "s", tokenStorage: "s")
        let keys = try ServerKeys([try ServerKey(id: "k1", key: SecureRandom.bytes(32))])
        let call = InstanceCall(
            instance: InstanceName(client: "standard", account: ""), client: definition,
            context: CallContext(cookie: nil, deadline: .now, requestID: "r", began: .now),
            audit: AuditLog(.silent, keys, AuditCounts(time)))
        let work = StartWork(call, asked: (StartRequest(), goal), opened: (nil, false), now: RecordSamples.now)
        let signIn = SignIn(session: [1], tokens: RecordSamples.tokens, sessionIsNew: sessionIsNew)
        return SignInPlan(signIn, work).refused(refusal, at: RecordSamples.now)
    }

    @Test("of another user is that nothing changes here, and all that came is ended", arguments: [true, false])
    func otherUser(sessionIsNew: Bool) throws {
        let refused = try refused(.accountMismatch, Self.stepUp, sessionIsNew: sessionIsNew)
        #expect(
            refused
                == RefusedSignIn(
                    event: .stepUp(.missed), reason: .accountMismatch,
                    brought: sessionIsNew ? [Self.tokens, Self.session] : [Self.tokens]))
        #expect(!refused.keepsRenewed && !refused.changesSession)
    }

    @Test("that reached too little is that a new session takes the place of the one from before a step-up alone")
    func notReached() throws {
        let rows: [(StepUpGoal?, Bool, isUpgrade: Bool)] = [
            (nil, true, false), (nil, false, false), (Self.stepUp, false, false), (Self.stepUp, true, true),
        ]
        for (goal, sessionIsNew, isUpgrade) in rows {
            let refused = try refused(.notReached, goal, sessionIsNew: sessionIsNew)
            #expect(
                refused
                    == RefusedSignIn(
                        event: goal == nil ? .signIn(.refused) : .stepUp(.missed), reason: .stepUpNotReached,
                        brought: sessionIsNew ? [Self.tokens, Self.session] : [Self.tokens], isUpgrade: isUpgrade))
            #expect(refused.keepsRenewed && refused.changesSession == isUpgrade)
        }
    }

    @Test("of a transaction is a note for its route, and no failure")
    func transaction() throws {
        let refused = try refused(.undecided, Self.route, sessionIsNew: true)
        let raised = Self.route.raisedRoute(account: "", client: nil, at: RecordSamples.now)
        #expect(raised != nil && refused.raised == raised)
        #expect(refused.event == .stepUp(.answered) && refused.reason == nil && !refused.isUpgrade)
        #expect(refused.brought == [Self.tokens, Self.session])
        #expect(refused.keepsRenewed && refused.changesSession)
    }
}

@Suite("Tokens that could not be renewed")
struct RenewalEndTests {
    @Test("are over when the provider takes nothing for them, or they have ended; an outage ends none")
    func table() {
        // The ends by: neither spent nor over, spent, over, spent and over.
        let rows: [(TokenError, [RenewalEnd?])] = [
            (.invalidGrant, [.grant, .grant, .grant, .grant]),
            (.sessionEnded, [nil, .session, .session, .session]),
            (.noRefreshToken, [nil, nil, .grant, .grant]),
            (.loginRequired, [nil, nil, .grant, .grant]),
            (.tooWeak, [nil, nil, nil, nil]),
            (.consentRequired, [nil, nil, nil, nil]),
            (.unavailable(retryAfter: .seconds(1)), [nil, nil, nil, nil]),
            (.refused(check: "aud"), [nil, nil, nil, nil]),
            (.unknownClient(check: "client"), [nil, nil, nil, nil]),
            (.misconfigured(check: "scopes"), [nil, nil, nil, nil]),
            (.unsupported, [nil, nil, nil, nil]),
        ]
        for (failure, ends) in rows {
            let found = [(false, true), (true, true), (false, false), (true, false)].map { isSpent, isGood in
                failure.end(isSpent: isSpent, isGood: isGood)
            }
            #expect(found == ends, "\(failure)")
        }
    }
}
