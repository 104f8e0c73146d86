import ArgumentParser
import Cloakroom

/// The command line of the server.
@main
struct CloakroomCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cloakroom",
        abstract: "A backend-for-frontend server for sign-in with Ping Journeys.",
        discussion: """
            The browser gets one opaque cookie; sign-in flows, provider sessions and tokens stay in the server. \
            Settings are read from a YAML file; docs/configuration.md describes every key.

            To begin: 'cloakroom keygen --out session.key', write cloakroom.yaml, \
            'cloakroom check --config cloakroom.yaml', 'cloakroom serve --config cloakroom.yaml'.
            """,
        version: Version.text,
        subcommands: [Serve.self, Check.self, Keygen.self, Version.self])
}
