internal import Arguments
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import Logs
internal import ResourceServer

// In the repository the ledger is a module, because the demo runs it as well; taken out, all of it is one.
#if canImport(LedgerAPI)
    internal import LedgerAPI
#endif

/// The sample API as a program: `swift run LedgerExample --issuer https://… --audience bff --audience bff-tx`.
@main
enum LedgerExample {
    private static let issuer = Parameter.required(
        "issuer", Issuer.form, "URL", help: "The issuer, exactly as it stands in its tokens.")
    private static let profile = Parameter.option(
        "profile",
        ValueForm<TokenProfile>.choice(["am": .am, "rfc9068": .rfc9068, "jwt": .jwt, "pingOne": .pingOne]), "PROFILE",
        default: "am",
        help: "What the issuer's tokens look like.")
    private static let audience = Parameter.list(
        "audience", .text("an audience"), "AUDIENCE", isRequired: true,
        help: "An audience of which a token must carry one: without it a token for any other API would do.")
    private static let introspectionClient = Parameter.option(
        "introspection-client", .text("the id of a client"), "ID",
        help: "Asks the issuer about tokens under this client id where a strong sign-in is needed.")
    private static let port = Parameter.option(
        "port", .port, "PORT", default: "9000", help: "The port on 127.0.0.1; 0 takes a free one.")

    static let program = Program(
        Command(
            "LedgerExample", summary: "A small API that takes access tokens of one issuer.",
            discussion: "The secret for introspection is read from the environment variable LEDGER_SECRET.",
            takes: issuer, profile, audience, introspectionClient, port
        ) { given throws(CommandError) in
            let mode = try mode(introspectionClient: given[introspectionClient])
            do {
                try await serve(given, mode)
            } catch {
                throw .failed("\(error)")
            }
        })

    static func main() async {
        await program.main()
    }

    private static func serve(_ given: ArgumentValues, _ mode: ValidationMode) async throws {
        let trusted = try TrustedIssuer(
            issuer: given[issuer].name, discovery: given[issuer].discovery, profile: given[profile],
            audiences: Set(given[audience]), mode: mode)
        let logger = Logger(label: "ledger", level: .warning, to: LogLines(format: .text))
        let server = try LedgerServer(
            ListenerSettings(address: "127.0.0.1", port: given[port]), issuer: trusted, logger: logger)
        try server.start()
        print("ready http://127.0.0.1:\(server.port)")
        flushOutput()
        for await _ in Interruption.stream() { break }
        await server.stop()
    }

    /// By signature alone, or by asking the issuer as well where the requirement is a strong one.
    private static func mode(introspectionClient: String?) throws(CommandError) -> ValidationMode {
        guard let introspectionClient else { return .jwt }
        guard let secret = ProcessEnvironment.value("LEDGER_SECRET") else {
            throw .wrongUse("--introspection-client needs LEDGER_SECRET.")
        }
        return .both(IntrospectionSettings(clientID: introspectionClient, clientSecret: Secret(secret)))
    }
}

/// An issuer of the command line.
private struct Issuer {
    let name: String
    let discovery: WebURL

    static let form = ValueForm<Issuer>(expected: "an address") { text in
        WebURL(text + "/.well-known/openid-configuration").map { Issuer(name: text, discovery: $0) }
    }
}
