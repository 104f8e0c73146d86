import Arguments

/// The command line of the demo.
@main
enum DemoMain {
    static let program = Program(
        Command(
            "cloakroom-demo", summary: "Runs Cloakroom and a simulated identity provider in one process.",
            discussion: """
                Nothing is installed and nothing is kept: users, sessions and tokens live in memory unless --store names \
                a file. Sign in as demo, alice or bob with the password Ch4ng3it! and follow the printed commands.
                """,
            takes: DemoOptions.port, DemoOptions.adminPort, DemoOptions.adminToken,
            DemoOptions.simulatorPort, DemoOptions.ledgerPort, DemoOptions.elevatedLimit, DemoOptions.dialect,
            DemoOptions.emptyTokenID, DemoOptions.authorize401,
            DemoOptions.clientSideSessions, DemoOptions.idpSignOff, DemoOptions.relyingParty,
            DemoOptions.redirectURI, DemoOptions.corsOrigin, DemoOptions.publicURL, DemoOptions.store, DemoOptions.key,
            DemoOptions.files,
            DemoOptions.json,
            DemoOptions.logLevel
        ) { given throws(CommandError) in
            do {
                try await Demo(DemoOptions(given)).run()
            } catch let failure as CommandError {
                throw failure
            } catch {
                throw .failed("\(error)")
            }
        })

    static func main() async {
        await program.main()
    }
}
