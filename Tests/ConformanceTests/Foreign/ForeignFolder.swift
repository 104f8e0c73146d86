import Foundation
import JSON

/// The folder with what providers of others answered; it is no part of the repository.
struct ForeignFolder: Sendable {
    let path: String

    /// The one that `CLOAKROOM_FOREIGN` names, else `../shared/foreign` beside the package.
    static let current: ForeignFolder = {
        if let path = ProcessInfo.processInfo.environment["CLOAKROOM_FOREIGN"], !path.isEmpty {
            return ForeignFolder(path: path)
        }
        var package = URL(fileURLWithPath: #filePath)
        for _ in 0..<4 { package.deleteLastPathComponent() }
        return ForeignFolder(path: package.appendingPathComponent("../shared/foreign").standardized.path)
    }()

    var isThere: Bool { FileManager.default.fileExists(atPath: path) }

    /// The files whose names end so, sorted.
    func names(ending: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0.hasSuffix(ending) }.sorted()
    }

    func bytes(_ name: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
            throw Fixture.Malformed(name: name, member: "file")
        }
        return Array(data)
    }

    func json(_ name: String) throws -> JSONValue { try JSONValue(parsing: bytes(name)) }
}
