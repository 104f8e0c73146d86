import Foundation
import JSON
import Testing

/// A folder with tokens, documents and answers of issuers that are not AM.
struct ForeignFolder: Sendable, Hashable, CustomTestStringConvertible {
    let path: String

    /// Ours, written after what such issuers do.
    static let own = ForeignFolder(path: FixtureFolder.own.path + "/issuers")

    /// What issuers really gave out: the folder that `CLOAKROOM_FOREIGN` names, else `../shared/foreign` beside the checkout
    /// where that is.
    static let other: ForeignFolder? = {
        if let path = ProcessInfo.processInfo.environment["CLOAKROOM_FOREIGN"], !path.isEmpty {
            return ForeignFolder(path: path)
        }
        let usual = ForeignFolder(path: FixtureFolder.place("../shared/foreign"))
        return FileManager.default.fileExists(atPath: usual.path) ? usual : nil
    }()

    static let all = [own] + (other.map { [$0] } ?? [])

    var testDescription: String { self == .own ? "ours" : path }
    /// What stands behind a name, so that two folders may have the same.
    var mark: String { self == .own ? "" : " of \(path)" }

    /// The files of every folder whose names end so, sorted.
    static func files(ending: String) -> [ForeignFile] {
        all.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
                .filter { $0.hasSuffix(ending) }.sorted().map { ForeignFile(folder: folder, name: $0) }
        }
    }

    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

    func bytes(_ name: String) throws -> [UInt8] {
        guard let data = FileManager.default.contents(atPath: path + "/" + name) else {
            throw Fixture.Malformed(name: name, member: "file")
        }
        return Array(data)
    }

    func json(_ name: String) throws -> JSONValue { try JSONValue(parsing: bytes(name)) }
}

/// A file of a folder.
struct ForeignFile: Sendable, CustomTestStringConvertible {
    let folder: ForeignFolder
    let name: String

    var testDescription: String { name + folder.mark }

    /// The name of the issuer, which is what stands before the ending.
    func issuer(_ ending: String) -> String { name.replacing(ending, with: "") }
}
