import Foundation
import Testing

/// `OpenIDConnect` is a client of any OpenID provider: what is AM's alone is in `JourneyClient`.
@Suite("The module OpenIDConnect")
struct ProviderNeutralTests {
    private static let names: Set = [
        "am", "pingam", "openam", "forgerock", "iplanetdirectorypro", "acceptapiversion", "journeyclient", "journey",
        "journeys",
    ]

    /// The lines, from 1, with one of the names as a word, in code, comments and strings alike.
    private static func lines(in text: String) -> [Int] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().filter { _, line in
            let words = line.replacing("Accept-API-Version", with: "AcceptAPIVersion").split {
                !$0.isLetter && !$0.isNumber
            }
            return words.contains { names.contains($0.lowercased()) }
        }.map { $0.offset + 1 }
    }

    @Test func `names no provider's product, neither in code nor in comments nor in its page`() throws {
        let files = try Repository.swiftFiles(below: "Sources").filter { $0.target == "OpenIDConnect" }
        #expect(files.count > 15)
        for file in files { #expect(Self.lines(in: file.text) == [], "\(file.path)") }
        let page = "Sources/OpenIDConnect/OpenIDConnect.docc/OpenIDConnect.md"
        #expect(Self.lines(in: try Repository.text(page)) == [])
    }

    @Test(arguments: [
        ("/// AM's session", true), ("a\n[.acceptAPIVersion: 1]", true), ("\"Accept-API-Version\"", true),
        ("import JourneyClient", true), ("\"iPlanetDirectoryPro\"", true), ("// a Journey", true),
        ("let parameter = name", false), ("I am here.", true), ("let claim = example", false),
    ])
    func `is searched word by word`(_ text: String, _ isFound: Bool) {
        #expect(Self.lines(in: text).isEmpty != isFound)
    }
}
