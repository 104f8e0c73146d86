import Cloakroom
import TestSupport
import Testing

/// What the composed server writes under the label of its own.
@Suite("The audit of a server", .timeLimit(.minutes(2)))
struct AuditSettingTests {
    @Test("tells sign-ins, callers that are turned away, starts and reloads, and nothing where it is switched off")
    func switched() async throws {
        for audits in [true, false] {
            var options = Bench.Options()
            options.adjust = { settings, _ in settings.log.audit = audits }
            try await withBench(options) { bench in
                try await bench.browser().signIn()
                _ = try await bench.admin("/healthz")
                let lines = bench.recorder.lines
                for line in [
                    "info admin key=k1 outcome=started", "info admin key=k1 outcome=reloaded",
                    "info sign-in address=127.0.0.1 client=standard outcome=done ",
                ] {
                    #expect(lines.contains { $0.hasPrefix(line) } == audits, "\(line)")
                }
                #expect(lines.contains { $0.hasPrefix("info Listening ") })
            }
        }
    }
}
