import Arguments
import Basics

/// The command line of the server.
@main
enum Main {
    static let program = Program(
        Command(
            "cloakroom", summary: "A backend-for-frontend server for sign-in with Ping Journeys and DaVinci flows.",
            discussion: """
                The browser gets one opaque cookie; sign-in flows, provider sessions and tokens stay in the server. \
                Settings are read from a YAML file; docs/configuration.md describes every key.

                To begin:

                  cloakroom keygen --out session.key
                  cloakroom check --config cloakroom.yaml    once it is written
                  cloakroom serve --config cloakroom.yaml
                """,
            commands: [Serve.command, Check.command, Keygen.command, Version.command]),
        version: Version.text)

    static func main() async {
        // Before any secret is read.
        ProcessMemory.shield()
        await program.main()
    }
}
