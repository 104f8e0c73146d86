internal import Basics
internal import Glibc
internal import StorageKit

/// Generates keys for `session.keys`.
public enum KeyFile {
    /// Why no key was made.
    public enum FileError: Error, Sendable, Equatable {
        /// The id is not 1 to 32 letters, digits, `_` and `-`.
        case invalidID
        /// The file exists; it may be the only copy of a key in use.
        case exists
        /// The system refuses to create the file; with the system's message.
        case system(String)
    }

    /// Generates a key as one line: its id, a space, 32 random bytes in base64url.
    ///
    /// - Parameter id: Its id; nil for `k` and today's date.
    /// - Returns: The line, without a line break; a secret.
    /// - Throws: `.invalidID`.
    public static func line(id: String? = nil) throws(FileError) -> String {
        do { return try ServerKey.generateLine(id: id ?? todaysID).reveal() } catch { throw .invalidID }
    }

    /// Writes a new key to a new file that only its owner may read.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - id: The key's id; nil for `k` and today's date.
    /// - Throws: Why the key was not written; an existing file stays unchanged.
    public static func create(at path: String, id: String? = nil) throws(FileError) {
        var bytes = Array((try line(id: id) + "\n").utf8)
        defer { cleanse(&bytes) }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw errno == EEXIST ? .exists : .system(String(cString: strerror(errno))) }
        defer { close(file) }
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard written == bytes.count, fsync(file) == 0 else {
            let reason = String(cString: strerror(errno))
            unlink(path)
            throw .system(reason)
        }
    }

    private static var todaysID: String {
        let date = CalendarDate(daysSince1970: SystemTime().now().seconds / 86_400)
        return "k" + String(date.year * 10_000 + date.month * 100 + date.day)
    }
}
