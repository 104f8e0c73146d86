import Foundation
import Testing

@testable import IdentitySimulator

@Suite("A refusal of the simulator")
struct RefusalSourceTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A section of a standard, or a heading of a document of the project.
    private static func exists(_ source: String) throws -> Bool {
        let standards = ["RFC ", "OpenID Connect ", "OAuth 2.0 Multiple Response Type", "Web Authentication "]
        if standards.contains(where: { source.hasPrefix($0) }) { return source.contains(where: \.isNumber) }
        let parts = source.split(separator: ", '")
        guard parts.count == 2, parts[1].hasSuffix("'") else { return false }
        let text = try String(contentsOf: root.appending(path: String(parts[0])), encoding: .utf8)
        let heading = parts[1].dropLast()
        return text.split(separator: "\n").contains {
            $0.hasPrefix("#") && $0.drop { $0 == "#" || $0 == " " } == heading
        }
    }

    @Test("of a flow names a rule that a standard or a document states", arguments: FlowRule.allCases)
    func flow(_ rule: FlowRule) throws {
        #expect(try Self.exists(rule.source), "\(rule.source)")
    }

    /// Calls that make a refusal.
    private static let makers = [
        ".amError(", ".oauthError(", ".pingError(", "OAuthError(code:", ".html(4", ".invalidScope",
    ]

    @Test func `stands in a file whose types say where their refusals come from`() throws {
        let sources = Self.root.appending(path: "Sources/IdentitySimulator")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var judged = 0
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let code = lines.filter { !$0.hasPrefix("//") && !$0.contains("func ") }
            guard code.contains(where: { line in Self.makers.contains { line.contains($0) } }) else { continue }
            let stated = lines.filter { $0.hasPrefix("/// Refuses by ") }
            #expect(!stated.isEmpty, "\(file.lastPathComponent) does not say what its refusals are based on")
            for line in stated {
                let text = line.dropFirst("/// Refuses by ".count).drop { $0 == " " }
                for source in text.trimmingSuffix(".").components(separatedBy: "; ") {
                    #expect(try Self.exists(source), "\(file.lastPathComponent): \(source)")
                }
            }
            judged += 1
        }
        #expect(judged > 20)
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
    }
}
