import ArgumentParser
import Cloakroom
import Glibc

/// Makes a key for sessions.
struct Keygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a new key for session.keys.",
        discussion: """
            A key is one line: its id, a space, and 32 random bytes in base64url. All servers that share a store need \
            the same keys. To change the key, put a new one in front of the list and take the old one out after the \
            absolute life time of a session; nobody is signed out.
            """)

    @Option(help: "The id that sealed sessions carry: 1 to 32 letters, digits, '_', '-'. Default: k and the date.")
    var id: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("Writes to a new file with mode 0600 instead.", valueName: "file"))
    var out: String?

    func run() throws {
        do throws(KeyFile.Failure) {
            guard let out else {
                print(try KeyFile.line(id: id))
                guard fflush(nil) == 0 else { throw .system("the output takes no more") }
                return
            }
            try KeyFile.create(at: out, id: id)
            print(out)
        } catch {
            switch error {
            case .invalidID:
                printError("Error: --id takes 1 to 32 letters, digits, '_' or '-'.")
                throw ExitCode.validationFailure
            case .exists: printError("\(out ?? "") exists; a key that is in use must not be overwritten")
            case .system(let reason): printError("\(out ?? "The key") cannot be made: \(reason)")
            }
            throw ExitCode.failure
        }
    }
}
