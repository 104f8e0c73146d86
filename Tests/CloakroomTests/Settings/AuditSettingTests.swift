import Cloakroom
import HTTPCore
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
                    "info sign-in address=127.0.0.1 client=standard flow=",
                ] {
                    #expect(lines.contains { $0.hasPrefix(line) } == audits, "\(line)")
                }
                #expect(lines.contains { $0.hasPrefix("info Listening ") })
            }
        }
    }

    @Test("goes on counting over new settings, and tells what it has counted when they switch it off")
    func reloaded() async throws {
        try await withBench { bench in
            let browser = bench.browser()
            func told() -> [String] { bench.recorder.lines.filter { $0.hasPrefix("info caller ") } }
            func isRefused() async throws {
                #expect(try await browser.call(.post, "/bff/standard/start", headers: ["x-csrf": nil]).status == 403)
            }
            for _ in 0..<5 { try await isRefused() }
            try bench.server.reload(bench.settings)
            try await isRefused()
            #expect(told().count == 1 && told()[0].contains(" count=1 "))
            bench.time.advance(by: .seconds(61))
            try await isRefused()
            #expect(told().count == 2)
            try await isRefused()
            var settings = bench.settings
            settings.log.audit = false
            try bench.server.reload(settings)
            // The reload before has the counts looked through once more: it may be that which told the five of the minute, and
            // not the call after it.
            let counts = told().map { line in (1...9).first { line.contains(" count=\($0) ") } }
            #expect(counts == [1, 6, 1] || counts == [1, 5, 2], "\(told())")
        }
    }
}
