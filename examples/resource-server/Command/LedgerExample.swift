import ArgumentParser
import Basics
import HTTPCore
import HTTPServer
import LedgerAPI
import Logging
import ResourceServer

/// The sample API as a program: `swift run LedgerExample --issuer https://… --client bff --client bff-tx`.
@main
struct LedgerExample: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "A small API that takes access tokens of one issuer.",
        discussion: "The secret for introspection is read from the environment variable LEDGER_SECRET.")

    @Option(help: "The issuer, exactly as it stands in its tokens.")
    var issuer: String

    @Option(help: "What the issuer's tokens look like: am, rfc9068 or pingOne.")
    var profile = "am"

    @Option(help: "A client whose tokens are taken, for issuers that put the client into aud; may be repeated.")
    var client: [String] = []

    @Option(help: "An audience of which a token must carry one; may be repeated.")
    var audience: [String] = []

    @Option(help: "Asks the issuer about tokens under this client id where a strong sign-in is needed.")
    var introspectionClient: String?

    @Option(help: "The port on 127.0.0.1; 0 takes a free one.")
    var port: UInt16 = 9000

    func run() async throws {
        guard let discovery = WebURL(issuer + "/.well-known/openid-configuration") else {
            throw ValidationError("--issuer takes an address.")
        }
        guard let profile = TokenProfile(rawValue: profile) else {
            throw ValidationError("--profile takes am, rfc9068 or pingOne.")
        }
        guard !client.isEmpty || !audience.isEmpty else {
            throw ValidationError("Without --client or --audience a token for anybody would do.")
        }
        let trusted = try TrustedIssuer(
            issuer: issuer, discovery: discovery, profile: profile, audiences: Set(audience), clients: Set(client),
            mode: try mode())
        var logger = Logger(label: "ledger")
        logger.logLevel = .warning
        let server = try LedgerServer(
            ListenerSettings(address: "127.0.0.1", port: port), issuer: trusted, logger: logger)
        try server.start()
        print("ready http://127.0.0.1:\(server.port)")
        flushOutput()
        for await _ in Interruption.stream() { break }
        await server.stop()
    }

    /// By signature alone, or by asking the issuer as well where the requirement is a strong one.
    private func mode() throws -> ValidationMode {
        guard let introspectionClient else { return .jwt }
        guard let secret = Environment.value("LEDGER_SECRET") else {
            throw ValidationError("--introspection-client needs LEDGER_SECRET.")
        }
        return .both(IntrospectionSettings(clientID: introspectionClient, clientSecret: Secret(secret)))
    }
}
