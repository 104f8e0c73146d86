import Foundation
import SettingsKit
import Testing

@testable import Cloakroom

@Suite("The page on the configuration")
struct SettingsDocumentTests {
    private static let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs/configuration.md")

    /// The keys in the first column of its tables.
    private func documented() throws -> [String] {
        try String(contentsOf: Self.page, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `([^`]+)` \|/).map { String($0.1) }
        }
    }

    @Test func `names every key that is read, none twice, and none that is not`() throws {
        let directory = try ScratchDirectory()
        try directory.write("old LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM\n", to: "old.key")
        try directory.write(SettingsSample.authority, to: "ca.pem")
        try directory.write("page", to: "web/index.html")
        try directory.write("x", to: "client.secret")
        let source = SettingsSource(path: "cloakroom.yaml", environment: SettingsText.variables)
        let redis = "redis: { user: a, passwordFile: client.secret, prefix: a, insecureTransport: true }"
        let others = ["store: sqlite:sessions.db", "store: redis://cache/1\n  \(redis)"]
        let read = try others.reduce(into: Set<String>()) { patterns, store in
            let text = SettingsSample.everything.replacing(others[0], with: store)
            let files = SettingsFiles(besides: directory.path(""))
            patterns.formUnion(try source.read(Array(text.utf8), files: files, isPublic: false).patterns)
        }
        directory.remove()
        // Sections are not keys of their own.
        let keys = read.filter { key in !read.contains { $0.hasPrefix(key + ".") || $0.hasPrefix(key + "[]") } }
        let documented = try documented()
        #expect(Set(documented).count == documented.count)
        #expect(Set(documented).subtracting(keys).sorted() == [], "invented")
        #expect(keys.subtracting(documented).sorted() == [], "missing")
    }

    @Test func `has an example that can be read`() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let example = try #require(text.firstMatch(of: /```yaml\n([^`]+)```/)).1
        let directory = try ScratchDirectory()
        for name in ["client", "client-tx"] { try directory.write("secret\n", to: name) }
        try directory.write("k1 LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM\n", to: "session.key")
        let placed = example.replacing("/run/secrets/", with: directory.path(""))
            .replacing("/var/lib/cloakroom/", with: directory.path(""))
        #expect(SettingsText.problems(String(placed)) == [])
        directory.remove()
    }
}
