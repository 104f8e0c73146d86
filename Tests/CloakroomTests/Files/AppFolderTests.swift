import Foundation
import TestSupport
import Testing

@testable import BFFAPI
@testable import Cloakroom

@Suite("The folder of an app")
struct AppFolderTests {
    /// Makes a folder of files, which is removed afterwards.
    private func withFolder(_ files: [String: String], _ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (path, text) in files {
            let file = folder.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try body(folder)
    }

    private func fault(_ folder: URL) -> String? {
        do throws(AppFolder.SettingError) {
            _ = try AppFolder.read(folder.path)
            return nil
        } catch {
            return error.expected
        }
    }

    @Test func `is read with its folders and compressed siblings, without hidden files`() throws {
        let files = [
            "index.html": "page", "a/b.js": "b", "a/b.js.gz": "G", "a/b.js.br": "B", "alone.gz": "x", ".env": "secret",
            ".git/config": "secret",
        ]
        try withFolder(files) { folder in
            let expected = StaticFiles([
                "/index.html": StaticFile(name: "index.html", plain: Array("page".utf8)),
                "/a/b.js": StaticFile(
                    name: "b.js", plain: [UInt8(ascii: "b")],
                    coded: [("br", [UInt8(ascii: "B")]), ("gzip", [UInt8(ascii: "G")])]),
                "/alone.gz": StaticFile(name: "alone.gz", plain: [UInt8(ascii: "x")]),
            ])
            let found = try AppFolder.read(folder.path).files
            #expect(found == expected)
        }
    }

    @Test func `may be a link itself, and has none in it`() throws {
        try withFolder(["app/index.html": "page", "secret.txt": "secret"]) { folder in
            let app = folder.appendingPathComponent("app")
            let current = folder.appendingPathComponent("current")
            try FileManager.default.createSymbolicLink(at: current, withDestinationURL: app)
            #expect(fault(current) == nil)
            for target in ["../secret.txt", "..", "index.html", "nowhere"] {
                let link = app.appendingPathComponent("link")
                try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: target)
                #expect(fault(app) == "/link is a link or cannot be read")
                try FileManager.default.removeItem(at: link)
            }
        }
    }

    @Test func `is refused without a page, with odd names, with other entries, and if it is too deep`() throws {
        try withFolder(["app.js": "x"]) { #expect(fault($0) == "expected a folder with index.html") }
        try withFolder(["index.html": "x"]) { folder in
            #expect(fault(folder.appendingPathComponent("no")) == "expected a folder that can be read")
            #expect(fault(folder.appendingPathComponent("index.html")) == "expected a folder that can be read")
            #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
            #expect(fault(folder) == "/pipe is neither a file nor a folder")
        }
        try withFolder(["index.html": "x", "a b.js": "x"]) {
            #expect(fault($0)?.hasPrefix("/a b.js has a char") == true)
        }
        let deep = String(repeating: "d/", count: 17) + "x.js"
        try withFolder(["index.html": "x", deep: "x"]) {
            #expect(fault($0)?.hasSuffix("more than 16 levels deep") == true)
        }
    }

    @Test func `is refused if it exceeds its bounds`() throws {
        let large = String(repeating: "x", count: 17 << 20)
        try withFolder(["index.html": "x", "a.js": large]) { #expect(fault($0) == nil) }
        try withFolder(["index.html": "x", "a.js": large, "b.js": large]) { folder in
            #expect(fault(folder) == "the files exceed 32 MiB")
        }
        let many = Dictionary(uniqueKeysWithValues: (0...2_000).map { ("f\($0).js", "") })
        try withFolder(many.merging(["index.html": "x"]) { old, _ in old }) { folder in
            #expect(fault(folder) == "there are more than 2000 files")
        }
    }
}
