import HTTPServer
import IdentitySimulator
import Logs

/// The identity provider in a process of its own.
enum SimulatorRole {
    static func run() async throws {
        var settings = SimulatorSettings()
        settings.listener = ListenerSettings(address: "127.0.0.1", port: 0)
        // Longer than any run: polls are too early.
        settings.pollingWait = .seconds(300)
        // The longest that the server waits between two; now and then one of many is due.
        settings.pingOne.pollInterval = .seconds(60)
        settings.pingOne.pollRetries = 600
        settings.pingOne.flowLifetime = .seconds(3600)
        settings.pingOne.nodeRuns = .max
        let simulator = try Simulator(settings, logger: Main.logger("simulator"))
        try simulator.start()
        Main.ready(
            """
            "url":"\(simulator.baseURL)","serverUrl":"\(simulator.serverURL)",\
            "discovery":"\(simulator.discoveryURL)","issuer":"\(simulator.issuer)",\
            "pingOneDiscovery":"\(simulator.pingOneDiscoveryURL)","pingOneIssuer":"\(simulator.pingOneIssuer)"
            """)
        await Main.runUntilKilled()
        await simulator.stop()
    }
}
