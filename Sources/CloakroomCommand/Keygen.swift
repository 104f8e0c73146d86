import ArgumentParser
import Basics
import Cloakroom
import Glibc
import StorageKit

/// Makes a key for sessions.
struct Keygen: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes a new key for session.keys.",
        discussion: """
            A key is one line: its id, a space, and 32 random bytes in base64url. All servers that share a store need the \
            same keys. To change the key, put a new one in front of the list and take the old one out after the absolute \
            life time of a session; nobody is signed out.
            """)

    @Option(
        help: "The id that sealed sessions carry: 1 to 32 letters, digits, '_' or '-'. Default: k and today's date.")
    var id: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("Writes to a new file with mode 0600 instead.", valueName: "file"))
    var out: String?

    func run() throws {
        let line: Secret<String>
        do { line = try ServerKey.generateLine(id: id ?? Self.defaultID) } catch {
            throw ValidationError("--id takes 1 to 32 letters, digits, '_' or '-'.")
        }
        guard let out else { return print(line.reveal()) }
        try write(line.reveal() + "\n", to: out)
        print(out)
    }

    private static var defaultID: String {
        let date = CalendarDate(daysSince1970: SystemTime().now().seconds / 86_400)
        return "k" + String(date.year * 10_000 + date.month * 100 + date.day)
    }

    /// Makes the file; one that exists is never overwritten, for it may be the only copy of a key in use.
    private func write(_ text: String, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            printError(
                errno == EEXIST
                    ? "\(path) exists; a key that is in use must not be overwritten"
                    : "\(path) cannot be made: \(String(cString: strerror(errno)))")
            throw ExitCode.failure
        }
        defer { close(descriptor) }
        var bytes = Array(text.utf8)
        defer { cleanse(&bytes) }
        let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard fchmod(descriptor, 0o600) == 0, written == bytes.count, fsync(descriptor) == 0 else {
            printError("\(path) cannot be written: \(String(cString: strerror(errno)))")
            unlink(path)
            throw ExitCode.failure
        }
    }
}
