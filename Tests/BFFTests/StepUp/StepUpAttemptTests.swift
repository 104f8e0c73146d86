import Basics
import TestSupport
import Testing

@testable import BFF

@Suite("A step-up for a transaction")
struct StepUpAttemptTests {
    @Test("that was not followed by its call costs the route's calls nothing once the transaction is over")
    func forgottenTransaction() {
        let attempts = RecordSamples.attempts
        let end = RecordSamples.now
        #expect(attempts.hasAttempts("/api/y", account: "", at: end - .seconds(1)))
        #expect(!attempts.hasAttempts("/api/y", account: "", at: end))
        #expect(!attempts.hasAttempts("/api/z", account: "alice", at: end))
        #expect(attempts.hasAttempts("/api/x", account: "alice", at: end))
    }

    @Test("leaves a transaction for one call, whichever client's token goes first at the route by then")
    func usedOnce() {
        let now = Timestamp(seconds: 1000)
        for client in ["gold", nil] {
            let transaction = AuthorizedTransaction(
                id: "t-1", target: AuthorizedTransaction.digest("GET /a"), issuer: "i", subject: "demo",
                until: now + .seconds(300))
            var attempts = StepUpAttempts().raising(
                RaisedRoute(route: "/api/x", account: "", client: client, transaction: transaction))
            let other = attempts.pass("/api/x", account: "", target: "GET /b")
            #expect(!other && attempts.raised("/api/x", account: "", at: now)?.transaction == transaction)
            let first = attempts.pass("/api/x", account: "", target: "GET /a")
            #expect(first)
            #expect(attempts.raised("/api/x", account: "", at: now)?.transaction == nil)
            #expect(attempts.raised("/api/x", account: "", at: now)?.client == client)
        }
    }
}
