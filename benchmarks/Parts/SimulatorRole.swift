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
        let simulator = try Simulator(settings, logger: Main.logger("simulator"))
        try simulator.start()
        Main.ready(
            """
            "url":"\(simulator.baseURL)","serverUrl":"\(simulator.serverURL)",\
            "discovery":"\(simulator.discoveryURL)","issuer":"\(simulator.issuer)"
            """)
        await Main.runUntilKilled()
        await simulator.stop()
    }
}
