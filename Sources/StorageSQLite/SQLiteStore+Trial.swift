internal import Basics
internal import Glibc
package import Logs

extension SQLiteStore {
    /// Checks that a server could use the file, without creating it.
    ///
    /// Opening an absent file would create it as the user who runs the check, and not as the server's user.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - logger: Receives failures of the file, without any data.
    /// - Returns: Why a server could not use the file, as a sentence without a full stop; nil if it can.
    package static func trial(path: String, logger: Logger) async -> String? {
        guard access(path, F_OK) == 0 else {
            let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
            return access(directory, W_OK | X_OK) == 0
                ? nil : "the directory \(directory) does not exist or is read-only"
        }
        do {
            let opened = try SQLiteStore(path: path, time: SystemTime(), logger: logger)
            let works = (try? await opened.ping()) != nil
            await opened.close()
            return works ? nil : "the file does not answer"
        } catch {
            switch error {
            case .unusable(let why): return "the file cannot be used: \(why)"
            case .unknownSchema: return "the file belongs to another program or a newer version"
            }
        }
    }
}
