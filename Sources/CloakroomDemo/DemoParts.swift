import Arguments
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import Glibc
import HTTPCore
import HTTPServer
import IdentitySimulator
import LedgerAPI
import Logs
import ResourceServer
import StorageKit

/// The parts that the demo consists of.
enum DemoParts {
    /// Reads the app that is served at `/`: the folder that is named, else `.build/web` if it is there; nil for none.
    static func files(_ named: String?) throws -> StaticFiles? {
        let built = ".build/web"
        guard let folder = named ?? (access(built + "/index.html", R_OK) == 0 ? built : nil) else { return nil }
        do throws(AppFolder.SettingError) {
            return try AppFolder.read(folder).files
        } catch {
            throw CommandError.failed("--files \(folder): \(error.expected)")
        }
    }

    /// Starts an identity provider.
    static func simulator(_ options: DemoOptions, logger: Logger) throws -> Simulator {
        var settings = SimulatorSettings(options.dialect)
        settings.listener = ListenerSettings(address: "127.0.0.1", port: options.simulatorPort)
        settings.ping = options.ping
        settings.pingOne.allowsPingSignOff = options.idpSignOff
        settings.relyingParty = options.relyingParty
        settings.redirectURIs = options.redirectURI.map { [$0] } ?? []
        if options.dialect == .openam {
            // The sample API cannot introspect tokens of other clients at OpenAM, so the tokens have to be signed JWTs.
            settings.signAccessTokens()
        }
        let simulator = try Simulator(settings, logger: logger)
        do {
            try simulator.start()
        } catch {
            throw PortTakenError(port: options.simulatorPort, of: "the identity simulator", option: "--simulator-port")
        }
        return simulator
    }

    /// Starts the sample API of examples/resource-server, which accepts the tokens of one issuer.
    static func ledger(
        port: UInt16, issuer: TrustedIssuer, highValue: Requirement, _ logger: Logger
    ) throws -> LedgerServer {
        let server = try LedgerServer(
            ListenerSettings(address: "127.0.0.1", port: port), issuer: issuer, highValue: highValue, logger: logger)
        do {
            try server.start()
        } catch {
            throw PortTakenError(port: port, of: "the sample API", option: "--ledger-port")
        }
        return server
    }

    /// The issuer of the provider's tokens for the ledger and `/authz`: tokens are checked by signature, and also by
    /// introspection where strength is required.
    ///
    /// With OpenAM they are checked by signature alone, because OpenAM answers each client only about its own tokens.
    static func issuer(_ simulator: Simulator, _ dialect: SimulatedDialect) throws -> TrustedIssuer {
        guard let discovery = WebURL(simulator.discoveryURL) else {
            throw CommandError.failed("the simulator has no address")
        }
        return try TrustedIssuer(
            issuer: simulator.issuer, discovery: discovery, profile: .am, audiences: ["bff", "bff-tx"],
            clients: ["bff", "bff-tx"],
            mode: dialect == .openam
                ? .jwt : .both(IntrospectionSettings(clientID: "rs", clientSecret: Secret("rs-secret"))))
    }

    /// The address by which browsers reach the demo on a port.
    static func address(port: UInt16, _ options: DemoOptions) throws -> WebURL {
        guard let address = options.publicURL ?? WebURL("http://localhost:\(port)") else {
            throw CommandError.failed("the port is not one")
        }
        return address
    }

    /// The API settings for browsers that reach the demo on a port.
    static func api(port: UInt16, _ options: DemoOptions) throws -> APISettings {
        let address = try address(port: port, options)
        var api = APISettings(publicURL: address)
        api.insecureHTTP = true
        api.pingClients = ["standard", "workforce"]
        // No browser asks for the passkeys of localhost from elsewhere; the documents are there to be looked at.
        api.passkeys.relatedOrigins = ["https://shop.example.net"]
        api.passkeys.enroll = address
        api.passkeys.manage = address
        api.hosts = ["127.0.0.1:\(port)"] + (options.publicURL == nil ? [] : ["localhost:\(port)"])
        if let corsOrigin = options.corsOrigin, let url = WebURL(corsOrigin) {
            api.corsOrigins = [corsOrigin]
            // A dev server that forwards calls may leave its own host in them.
            api.hosts.append(url.authority)
        }
        // All browsers share one address, so rate limits are off.
        api.peerRate = nil
        api.accountRate = nil
        return api
    }

    static func keys(_ file: String?) throws -> ServerKeys {
        guard let file else { return try ServerKeys([ServerKey(id: "demo", key: SecureRandom.bytes(32))]) }
        let line = try DemoKeyFile.read(file)
        guard let key = try? ServerKey(line: line) else {
            throw CommandError.wrongUse("The key file \(file) is none that 'cloakroom keygen --out' made.")
        }
        return try ServerKeys([key])
    }

    static func adminToken(_ file: String) throws(CommandError) -> Secret<String> {
        let token = try DemoKeyFile.read(file)
        guard token.utf8.count >= 32 else {
            throw .wrongUse(
                "The token in \(file) is too short: write 32 characters or more, such as 'openssl rand -hex 16' prints."
            )
        }
        return Secret(token)
    }
}
