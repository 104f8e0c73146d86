import Foundation
import JourneyClient
import TestSupport
import Testing

/// Sentences that a later change makes wrong without touching the page that they stand on.
@Suite("What the documents say")
struct StatementTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: ContractFile.root + path, encoding: .utf8)
    }

    /// The files below a folder, by their paths in the repository.
    private static func files(in folder: String) throws -> [String] {
        let found = try FileManager.default.subpathsOfDirectory(atPath: ContractFile.root + folder)
        return found.map { "\(folder)/\($0)" }
    }

    @Test func `about a new callback type names every file that lists all types`() throws {
        let page = try Self.text("CONTRIBUTING.md")
        let entry = try #require(page.components(separatedBy: "- **a callback type**").last)
            .components(separatedBy: "\n- **")[0]
        let types = CallbackCatalogue.standard.wireTypes
        let readable: Set<String> = ["swift", "md", "yaml", "ts", "sh", "json"]
        var listing: [String] = []
        for folder in ["Sources", "Tests", "docs", "openapi", "scripts", "examples"] {
            for path in try Self.files(in: folder) where readable.contains((path as NSString).pathExtension) {
                guard let text = try? Self.text(path), types.allSatisfy(text.contains) else { continue }
                listing.append(path)
            }
        }
        #expect(listing.contains("docs/journey.md"))
        for path in listing {
            let name = path.split(separator: "/").last?.split(separator: ".").first.map(String.init) ?? path
            // What `make openapi` writes is not written by hand.
            let isNamed = name == "ContractText" ? entry.contains("make openapi") : entry.contains(name)
            #expect(isNamed, "\(path) lists every callback type, and CONTRIBUTING.md does not name it")
        }
    }

    /// How a statement that something is absent is held.
    enum Check: Sendable {
        /// No source of a folder has the text.
        case notInSources(String, String)
        /// The sentence is about something else than a feature of this program, or a suite of its own holds it.
        case elsewhere(String)
    }

    private static let absent: [(page: String, words: String, check: Check)] = [
        ("docs/configuration.md", "Without issuers there is no `/authz`", .elsewhere("ResourceServerOnlyTests")),
        ("docs/protocol.md", "and there is no level", .elsewhere("PingOne's tokens")),
        ("docs/davinci.md", "then there is no message", .elsewhere("DaVinciPageTests")),
        ("docs/decisions/c-libraries.md", "There is no dependency to pin", .elsewhere("ArchitectureTests")),
        (
            "docs/migrating-from-the-sdk.md", "There is no delegate to derive from",
            .notInSources("StorageKit", "StorageDelegate")
        ),
        (
            "docs/migrating-from-the-sdk.md", "there is no secure element to ask",
            .notInSources("Cryptography", "PKCS11")
        ),
        ("docs/troubleshooting.md", "there is no level in it", .elsewhere("a cause at the provider")),
        ("docs/problems/README.md", "there is no other", .elsewhere("FailureReasonListTests")),
        ("docs/problems/no-pending-return.md", "Where there is no such flow any more", .elsewhere("a case of a call")),
        ("docs/threat-model.md", "there is no reading", .elsewhere("ProofTests")),
        ("docs/threat-model.md", "there is no rate but", .elsewhere("LeavingTests")),
        ("docs/threat-model.md", "has no call on sessions without its token", .elsewhere("AdminSessionTests")),
    ]

    /// Where a page begins to say that something is absent.
    private static let phrases = ["here is no ", "no call for", "has no call", "not supported in this version"]

    @Test func `to be absent is on a list that says how it is checked`() throws {
        let pages =
            try ["README.md", "SECURITY.md", "CONTRIBUTING.md"] + Self.files(in: "docs").filter { $0.hasSuffix(".md") }
        for path in pages {
            let text = try Self.text(path).replacing("\n", with: " ")
            let known = Self.absent.filter { $0.page == path }
            for entry in known { #expect(text.contains(entry.words), "\(path) no longer says: \(entry.words)") }
            var said = text
            for entry in known { said = said.replacing(entry.words, with: "") }
            for phrase in Self.phrases {
                #expect(!said.contains(phrase), "\(path) says '\(phrase)' in a sentence that is not on the list")
            }
        }
    }

    @Test func `to be absent is not there`() throws {
        for entry in Self.absent {
            guard case .notInSources(let module, let text) = entry.check else { continue }
            for path in try Self.files(in: "Sources/\(module)") where path.hasSuffix(".swift") {
                #expect(try !Self.text(path).contains(text), "\(path): \(entry.words)")
            }
        }
    }

    /// A page that says how something is done names a call that is there.
    @Test func `to go on with a link is a call of the contract`() throws {
        let page = try Self.text("docs/setup-am.md")
        #expect(page.contains("POST /bff/{instance}/resume"))
        #expect(try Self.text("openapi/openapi.yaml").contains("  /bff/{instance}/resume:"))
    }
}
