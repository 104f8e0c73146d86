import Foundation
import TestSupport
import Testing

/// Folders of somebody else's, of which any part may be absent.
@Suite("Another folder of fixtures")
struct OtherFolderTests {
    /// A folder with these files.
    private func folder(_ files: [String: String], _ body: (FixtureFolder) async throws -> Void) async throws {
        let place = try TemporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: place.path) }
        for (name, text) in files {
            let file = URL(fileURLWithPath: place.path).appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try await body(FixtureFolder(path: place.path, isOwn: false))
    }

    private static func page(_ type: String) -> String {
        #"{"source":"own","status":200,"headers":{"Content-Type":"application/json"},"body":{"authId":"a","callbacks":["#
            + #"{"type":"\#(type)","output":[{"name":"depth","value":4.20}],"input":[{"name":"IDToken1","value":""}]}]},"#
            + #""expect":{"node":"continue","callbacks":["\#(type)"]}}"#
    }

    @Test func `with journeys alone is replayed, callbacks that nobody has heard of among them`() async throws {
        let files = ["a.json", "b.json"].map { "journey/" + $0 }
        try await folder([files[0]: Self.page("NameCallback"), files[1]: Self.page("TideGaugeCallback")]) { folder in
            #expect(folder.complaint == nil && folder.parts == ["journey"] && folder.files("oidc").isEmpty)
            #expect(folder.files("journey").map(\.name) == files)
            for file in folder.files("journey") {
                let fixture = try file.read()
                #expect(missing(for: fixture) == nil)
                #expect(try await JourneyReplay.differences(fixture).isEmpty)
            }
        }
    }

    @Test(arguments: [[:], ["README.md": "Nothing."], ["journey/README.md": "Nothing."], ["other/a.json": "{}"]])
    func `without anything to replay fails, and says so`(files: [String: String]) async throws {
        try await folder(files) { folder in
            #expect(folder.complaint == "\(folder.path) has no fixtures that are replayed")
        }
    }

    @Test func `that is not there fails, and says so`() {
        let folder = FixtureFolder(path: "/nowhere/fixtures", isOwn: false)
        #expect(folder.complaint == "there is no /nowhere/fixtures")
    }
}
