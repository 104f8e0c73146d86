internal import Cryptography
package import ProductKit
public import SettingsKit
public import StorageKit

/// A settings file, which can be read repeatedly.
///
/// `${NAME}` in a value is replaced by an environment variable; relative paths start from the directory of the file.
public struct SettingsSource: Sendable {
    private static let longestFile = 1 << 20

    private let path: String
    private let environment: [String: String]
    /// Generated once, so that a reload does not end the sessions in memory.
    private let ephemeralKeys: ServerKeys?
    /// The products that the clients of the file may have.
    package var products = Products.all
    private let ownKeys: (@Sendable () throws -> ServerKeys)?

    /// The content of a valid file.
    public struct Reading: Sendable {
        /// The settings for the server.
        public let settings: Settings
        /// The values that weaken the server and that a key beginning with `insecure` allows.
        public let warnings: [SettingsProblem]
    }

    /// Names a file, which need not exist yet.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - environment: The variables that values may name.
    ///   - keys: Provides the server keys in place of `session.keys`, which the file then omits: from a command, a key
    ///     service or a module for hardware keys. Called each time the file is read; nil for the keys of the file.
    public init(
        path: String, environment: [String: String], keys: (@Sendable () throws -> ServerKeys)? = nil
    ) {
        self.path = path
        self.environment = environment
        ownKeys = keys
        let key = try? ServerKey(id: "memory", key: SecureRandom.bytes(ServerKey.byteCount))
        ephemeralKeys = key.flatMap { try? ServerKeys([$0]) }
    }

    /// Reads the file.
    ///
    /// - Throws: Every problem at once.
    public func read() throws(SettingsError) -> Reading {
        let files = SettingsFiles(besides: path)
        let content: SettingsFiles.Content
        do throws(SettingsFiles.FileError) {
            content = try files.read(path, limit: Self.longestFile)
        } catch {
            throw SettingsError([SettingsProblem(file: path, line: nil, key: "", message: error.message(limit: "1MiB"))]
            )
        }
        return try read(content.bytes, files: files, isPublic: content.isExposed).reading
    }

    /// Reads bytes as the content of the file, and also returns the patterns of all keys that were read.
    func read(
        _ bytes: [UInt8], files: SettingsFiles, isPublic: Bool
    ) throws(SettingsError) -> (reading: Reading, patterns: Set<String>) {
        let context = ReadingContext(file: path, environment: environment, files: files, isPublic: isPublic)
        let keys = ownKeys.map { give in Result { try give() } }
        let settings = SettingsReader(
            context: context, products: products, ephemeralKeys: ephemeralKeys, ownKeys: keys
        ).read(bytes)
        guard let settings else { throw SettingsError(context.sortedProblems()) }
        return (Reading(settings: settings, warnings: context.warnings), context.patterns)
    }
}
