import Arguments
import Basics
import Cloakroom
import HTTPCore
import Logs
internal import ProductKit

/// Checks a settings file, or a running server.
enum Check {
    private static let config = ConfigurationFile.optional
    private static let live = Parameter.flag("live", help: "Also calls the providers, the APIs and the store.")
    private static let ready = Parameter.option(
        "ready", .readyAddress, "URL",
        help: "The address of a server's /readyz, as in http://127.0.0.1:8081/readyz.")

    static let command = Command(
        "check", summary: "Checks a settings file, the providers it names, or a running server.",
        discussion: """
            Prints every problem of the file with its line. For a file without problems it prints the use of each key \
            in session.keys, if there are several, and the address at which users come back from other sites. Exits \
            with 0 if there is no problem, otherwise with 1.

            --live also calls the systems in the file: for each client it checks discovery, keys, cookie name, \
            journeys, credentials, redirect URI, scopes and revocation; for each issuer discovery, keys and \
            introspection; then the APIs and the store. It signs no user in and changes nothing.

            --ready asks a running server instead, and exits with 0 if its /readyz answers 200. Use it as the health \
            check of a container.
            """,
        takes: config, live, ready, rules: [.exactlyOne(of: config, ready), .needs(live, config)]
    ) { given throws(CommandError) in
        if let address = given[ready] {
            try await check(address)
        } else if let path = given[config] {
            try await checkFile(path, live: given[live])
        }
    }

    private static func checkFile(_ path: String, live: Bool) async throws(CommandError) {
        let settings = try ConfigurationFile.source(of: path).readReporting()
        if let roles = settings.keyRoles { print("session.keys: \(roles)") }
        for (client, address) in settings.returnAddresses { print("clients.\(client): returns to \(address)") }
        for client in settings.cutClients { print(sentence(client)) }
        guard live else { return print("\(path): no problems") }
        let findings: [LiveFinding]
        do {
            findings = try await checkLive(settings, logger: .silent)
        } catch {
            throw .failed("\(error)")
        }
        for finding in findings {
            let outcome = finding.failure ?? finding.warning.map { "warning: \($0)" } ?? "ok"
            print("\(finding.subject): \(outcome)")
        }
        if findings.contains(where: { $0.failure != nil }) { throw .reported }
    }

    private static func sentence(_ client: CutClient) -> String {
        let end = "ends start, renewals and user after \(client.limit.components.seconds) s"
        return client.isStated
            ? "clients.\(client.name).timeout: server.limits.requestTime \(end)"
            : "server.limits.requestTime: it \(end) at clients.\(client.name), which waits \(client.timeout.components.seconds) s unless its timeout says less"
    }

    private static func check(_ address: String) async throws(CommandError) {
        let readiness: Readiness
        do {
            readiness = try await checkReadiness(address, logger: .silent)
        } catch {
            throw .failed("\(error)")
        }
        switch readiness {
        case .ready: return print("ready")
        case .refused(404): printError("not ready: status 404; is this the address of server.admin?")
        case .refused(let status): printError("not ready: status \(status)")
        case .noAnswer: printError("not ready: no answer")
        }
        throw .reported
    }
}

extension ValueForm where Value == String {
    /// Kept as it is written; the health check reads it again.
    fileprivate static var readyAddress: Self {
        ValueForm(expected: "an address like http://127.0.0.1:8081/readyz") { WebURL($0) == nil ? nil : $0 }
    }
}
