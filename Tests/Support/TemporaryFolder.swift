internal import Glibc

/// A folder of its own for one test; removed with the object, its files with it.
public final class TemporaryFolder: Sendable {
    /// The absolute path, without a slash at its end.
    public let path: String

    /// Where the folders of tests are: in memory where there is such a place, because a store waits for its disk at each
    /// write, else `/tmp`.
    public static let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

    /// Makes an empty folder.
    ///
    /// - Throws: `SocketError` with the errno.
    public init() throws(SocketError) {
        var template = Array("\(Self.place)/cloakroom-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SocketError(code: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { unlink("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }

    /// The path of a file in the folder.
    public func file(_ name: String) -> String {
        "\(path)/\(name)"
    }

    /// Writes a file of the folder; returns its path.
    ///
    /// - Throws: `SocketError` with the errno.
    @discardableResult
    public func write(_ text: String, to name: String) throws(SocketError) -> String {
        let path = file(name)
        guard let stream = fopen(path, "w") else { throw SocketError(code: errno) }
        let bytes = Array(text.utf8)
        let written = fwrite(bytes, 1, bytes.count, stream)
        guard fclose(stream) == 0, written == bytes.count else { throw SocketError(code: EIO) }
        return path
    }
}
