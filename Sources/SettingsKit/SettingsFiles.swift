internal import Glibc

/// Reads the files that settings name.
package struct SettingsFiles: Sendable {
    /// The bytes of a file, and whether other users can read or write it.
    package struct Content: Sendable {
        package let bytes: [UInt8]
        /// True if users outside the file's owner and group may read it, or any user but the owner may write it.
        ///
        /// The group may read it, because container platforms provide secrets in that way.
        package let isExposed: Bool
    }

    /// Why a file was not read.
    package enum FileError: Error, Equatable {
        case missing
        case forbidden
        case isFolder
        case unreadable
        case tooLarge

        /// The error for an errno of `open`.
        package init(opening code: Int32) {
            self =
                switch code {
                case ENOENT: .missing
                case EACCES, EPERM: .forbidden
                default: .unreadable
                }
        }

        /// The problem in words for an operator.
        ///
        /// - Parameter limit: The size limit, as text.
        /// - Returns: The problem of the file.
        package func message(limit: String) -> String {
            switch self {
            case .missing: "the file does not exist"
            case .forbidden: "the file may not be read by this user"
            case .isFolder: "expected a file, not a directory"
            case .unreadable: "the file cannot be read"
            case .tooLarge: "the file is longer than \(limit)"
            }
        }
    }

    /// The directory that relative paths start from.
    package let directory: String

    package init(besides file: String) {
        directory = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// The path of a file, relative to the settings file unless absolute.
    package func path(_ name: String) -> String {
        name.hasPrefix("/") ? name : directory + name
    }

    /// True if the path is a directory.
    package func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads a file of at most `limit` bytes.
    package func read(_ path: String, limit: Int) throws(FileError) -> Content {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileError(opening: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .unreadable }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw .isFolder }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable }
            if got == 0 { break }
            count += got
        }
        guard count <= limit else { throw .tooLarge }
        bytes.removeLast(bytes.count - count)
        return Content(bytes: bytes, isExposed: status.st_mode & 0o026 != 0)
    }
}
