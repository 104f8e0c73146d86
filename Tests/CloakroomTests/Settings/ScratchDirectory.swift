import Foundation

/// A directory that a test may fill.
struct ScratchDirectory: Sendable {
    private let root: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "cloakroom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        root = url.path
    }

    func path(_ name: String) -> String { root + "/" + name }

    /// Writes a file, and the folders that it is in, with mode 0600 unless another is given.
    @discardableResult
    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        let file = URL(filePath: path(name))
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }

    func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    func remove() { try? FileManager.default.removeItem(atPath: root) }
}
