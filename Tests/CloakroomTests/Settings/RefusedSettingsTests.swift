import Foundation
import Testing

/// The files of the folder `Refused`: a sound one, and each other one with a single fault more.
@Suite("A settings file that weakens the server or contradicts itself")
struct RefusedSettingsTests {
    /// A file with its fault; the comments at its top say what is to be said about it.
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String

        var testDescription: String { name }

        /// `12: session.idle: …`, with the line in the file as it is.
        var problem: String? { comment("") }
        /// The setting that would allow it; nil when none does.
        var insecureKey: String? { comment("allowed by: ") }
        /// The mode of the file; 0600 unless it matters.
        var mode: Int { comment("mode: ").flatMap { Int($0, radix: 8) } ?? 0o600 }

        private func comment(_ label: String) -> String? {
            text.split(separator: "\n").prefix { $0.hasPrefix("#") }.map { String($0.dropFirst(2)) }
                .first { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
        }

        /// The text with the setting that allows it, below the section that the setting is of.
        func allowing(_ setting: String) throws -> String {
            let parts = setting.split(separator: ".")
            var lines = text.components(separatedBy: "\n")
            let owner: (String) -> Bool =
                switch parts[0] {
                case "server": { $0 == "server:" }
                case "session": { $0 == "  redis:" }
                case "clients", "storages": { $0 == "  \(parts[1]):" }
                case "issuers[0]": { $0.hasPrefix("  - issuer:") }
                default: { $0.hasPrefix("  - path:") }
                }
            let place = try #require(lines.firstIndex(where: owner))
            let indentation = parts[0] == "server" ? "  " : "    "
            lines.insert("\(indentation)\(parts[parts.count - 1]): true", at: place + 1)
            return lines.joined(separator: "\n")
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Refused")

    static let files: [File] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") && $0 != "sound.yaml" }.sorted().map { name in
            File(name: name, text: (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? "")
        }
    }()

    /// What `cloakroom check` says about a text in the folder, with modes that do not depend on the checkout.
    private func check(_ text: String, mode: Int = 0o600) async throws -> (Command.Outcome, path: String) {
        let directory = try ScratchDirectory()
        for name in ["session.key", "client.secret", "exposed.key", "exposed.secret"] {
            let secret = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
            try directory.write(secret, to: name, mode: name.hasPrefix("exposed") ? 0o644 : 0o600)
        }
        let path = try directory.write(text, to: "cloakroom.yaml", mode: mode)
        let outcome = try await Command.run("check", "--config", path)
        directory.remove()
        return (outcome, path)
    }

    @Test("is refused with its line, and with nothing else", arguments: files)
    func refused(file: File) async throws {
        let (outcome, path) = try await check(file.text, mode: file.mode)
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors == "\(path):\(try #require(file.problem))\n")
    }

    @Test("is taken once a setting says that it may be so", arguments: files.filter { $0.insecureKey != nil })
    func allowed(file: File) async throws {
        let text = try file.allowing(try #require(file.insecureKey))
        let (outcome, path) = try await check(text, mode: file.mode)
        #expect(outcome.status == 0 && outcome.output.hasSuffix("\(path): no problems\n"))
    }

    @Test func `has many ways to be wrong, and one to be sound`() async throws {
        #expect(Self.files.count >= 60)
        let sound = try String(contentsOf: Self.folder.appending(path: "sound.yaml"), encoding: .utf8)
        let (outcome, path) = try await check(sound)
        #expect(outcome.status == 0 && outcome.output.hasSuffix("\(path): no problems\n") && outcome.errors.isEmpty)
    }

    @Test func `is in the table of the documentation, and what is in the table is refused`() throws {
        let page = Self.folder.appending(path: "../../../docs/configuration.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            line.firstMatch(of: /\| `([a-zA-Z.*\[\]]+\.insecure[A-Za-z]+)` \|$/).map { String($0.1) }
        }
        let tried = Set(
            Self.files.compactMap(\.insecureKey).map { key in
                key.replacing(/\[\d\]/, with: "[]").replacing(/^(clients|storages)\.\w+/) { "\($0.1).*" }
            })
        #expect(Set(rows) == tried && rows.count == tried.count)
    }
}
