import Arguments
import Basics
import Cloakroom
import Glibc

/// Makes a key for sessions.
enum Keygen {
    private static let id = Parameter.option(
        "id", .name, "ID",
        help: "The id that sealed sessions carry: 1 to 32 letters, digits, '_', '-'. Default: k and the date.")
    private static let out = Parameter.option(
        "out", short: "o", .path, "FILE", completion: .files,
        help: "Writes the key to a new file with mode 0600 instead of printing it.")

    static let command = Command(
        "keygen", summary: "Makes a new key for session.keys.",
        discussion: """
            A key is one line: its id, a space, and 32 random bytes in base64url. All servers that share a store need \
            the same keys. To change the key without signing users out: append the new key to session.keys of every \
            server; once all have it, move it to the front everywhere; remove the old key when session.absolute has \
            passed since then.
            """,
        takes: id, out
    ) { given throws(CommandError) in
        try run(id: given[id], out: given[out])
    }

    private static func run(id: String?, out: String?) throws(CommandError) {
        do throws(KeyFile.FileError) {
            guard let out else {
                print(try KeyFile.line(id: id))
                guard fflush(nil) == 0 else { throw .system("the output takes no more") }
                return
            }
            try KeyFile.create(at: out, id: id)
            print(out)
        } catch {
            switch error {
            case .invalidID: throw .wrongUse("--id takes \(ValueForm<String>.name.expected).")
            case .exists: printError("\(out ?? "") exists; a key that is in use must not be overwritten")
            case .system(let reason): printError("\(out ?? "The key") cannot be made: \(reason)")
            }
            throw .reported
        }
    }
}
