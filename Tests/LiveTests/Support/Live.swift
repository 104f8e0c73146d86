import Glibc
import TestSupport
import Testing
import YAML

/// What this run tries: the settings that `make live` names in the environment.
///
/// Without them every suite is off, so that `swift test` runs everywhere; `make test` leaves them out by name.
enum Live {
    /// The AM; nil when none is named.
    static let am: Result<AMSettings, any Error>? = read("CLOAKROOM_LIVE_AM") { try AMSettings($0) }
    /// The OpenID provider; nil when none is named.
    static let provider: Result<ProviderSettings, any Error>? = read("CLOAKROOM_LIVE_OP") { try ProviderSettings($0) }

    /// The server under test.
    static var server: String { environment("CLOAKROOM_LIVE_SERVER") ?? ".build/release/cloakroom" }

    /// Whether the AM lets tests make users and change settings; a faulty file counts, so that it is told.
    static var hasAdministrator: Bool { (try? am?.get())?.administrator != nil || isFaulty }
    /// Whether the AM can be paused and restarted.
    static var hasControl: Bool { (try? am?.get())?.control != nil || isFaulty }
    /// Whether AM has the chains of the kit, and may be given more of them.
    static var hasChains: Bool { (try? am?.get())?.hasChains == true && hasAdministrator || isFaulty }
    /// Whether AM has a policy to ask about.
    static var hasPolicy: Bool { (try? am?.get())?.policy != nil || isFaulty }

    /// Whether it is known when AM's pages expire.
    static var hasPageLifetime: Bool { (try? am?.get())?.pageLifetime != nil || isFaulty }

    private static var isFaulty: Bool {
        guard case .failure = am else { return false }
        return true
    }

    /// The AM, or why there is none.
    static func requireAM() throws -> AMSettings { try #require(am).get() }
    /// The provider, or why there is none.
    static func requireProvider() throws -> ProviderSettings { try #require(provider).get() }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func read<Value>(_ variable: String, _ make: (LiveNode) throws -> Value) -> Result<Value, any Error>?
    {
        guard let path = environment(variable) else { return nil }
        return Result {
            guard var text = fileText(path) else { throw LiveNode.Missing(description: "\(path) cannot be read") }
            for (mark, name) in [("{kit}", "CLOAKROOM_LIVE_AM_KIT"), ("{address}", "CLOAKROOM_LIVE_OP_ADDRESS")] {
                if let value = environment(name) { text = text.replacing(mark, with: value) }
            }
            guard let root = try YAMLNode(parsing: Array(text.utf8)) else {
                throw LiveNode.Missing(description: "\(path) is empty")
            }
            return try make(LiveNode(node: root, path: path))
        }
    }
}

extension String {
    /// A text with every occurrence of another replaced.
    func replacing(_ mark: String, with text: String) -> String {
        var result = ""
        var rest = self[...]
        while let range = rest.firstRange(of: mark) {
            result += rest[..<range.lowerBound] + text
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

/// The whole text of a file; nil when it cannot be read.
func fileText(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&chunk, 1, chunk.count, file)
        guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
        bytes += chunk[..<count]
    }
}
