import Foundation
import SettingsKit
import StorageKit
import Testing

@testable import Cloakroom

@Suite("The setting server.files")
struct AppFolderSettingTests {
    /// Reads settings from a file in a scratch directory, with an app in its folder `app`.
    private func problems(
        _ settings: String = SettingsText.good, at name: String = "cloakroom.yaml", files: String = "app",
        _ prepare: (ScratchDirectory) throws -> Void = { _ in }
    ) throws -> [String] {
        let directory = try ScratchDirectory()
        defer { directory.remove() }
        try directory.write("page", to: "app/index.html")
        try directory.write("1", to: "app/data/one.json")
        try prepare(directory)
        let text = settings.replacing("server: { ", with: "server: { files: \(files), ", maxReplacements: 1)
        let path = try directory.write(text, to: name)
        do throws(SettingsError) {
            _ = try SettingsSource(path: path, environment: SettingsText.variables).read()
            return []
        } catch {
            return error.problems.map { "\($0.key): \($0.message)" }
        }
    }

    @Test func `is a path relative to the settings file`() throws {
        #expect(try problems() == [])
        #expect(try problems(files: "./app") == [])
        #expect(try problems(files: "app/data") == ["server.files: expected a folder with index.html"])
        #expect(try problems(files: "other") == ["server.files: expected a folder that can be read"])
    }

    @Test(arguments: [
        "'unsafe-inline'", "'unsafe-eval'", "'self'", "'none'", "'nonce-abc'", "https:", "data:", "*", "https://*",
        "https://*.example.com", "https://a.example/x", "https://a.example/", "https://a.example; script-src *",
        "https://a.example *", "https://a.example,https://b.example", "http://a.example", "wss://a.example",
        "a.example",
    ])
    func `takes plain origins alone into its policy`(source: String) throws {
        for name in ["scriptSrc", "styleSrc", "connectSrc", "frameSrc"] {
            let found = try problems(files: "app, contentSecurityPolicy: { \(name): [\"\(source)\"] }")
            #expect(found.count == 1 && found[0].hasPrefix("server.contentSecurityPolicy.\(name)"))
            #expect(try problems(files: "app, contentSecurityPolicy: { \(name): https://a.example:8443 }") == [])
        }
    }

    @Test func `is there where a policy is`() {
        let text = SettingsText.replacing("server: { ", "server: { contentSecurityPolicy: { wasm: true }, ")
        let expected = "1: server.contentSecurityPolicy: is for the files of an app; server.files names none"
        #expect(SettingsText.problems(text) == [expected])
    }

    @Test(arguments: ["app/cloakroom.yaml", "app/data/cloakroom.yaml"])
    func `is refused if the folder has the settings file`(name: String) throws {
        let folder = name == "app/cloakroom.yaml" ? "." : ".."
        #expect(
            try problems(at: name, files: folder)
                == ["server.files: the folder has the settings file; give the app a folder of its own"])
        #expect(try problems(at: "app/data/.hidden.yaml", files: "..") == [])
    }

    @Test func `is refused if the folder has a file that the settings name`() throws {
        let key = try KeyFile.line(id: "k1")
        let secret = SettingsText.good + "\nsession: { keys: [{ file: app/k.key }] }\n"
        let refusal = [
            "server.files: the folder has the file of session.keys[0].file; give the app a folder of its own"
        ]
        #expect(try problems(secret) { try $0.write(key, to: "app/k.key") } == refusal)
        let linked = SettingsText.good + "\nsession: { keys: [{ file: k.key }] }\n"
        // A hard link is the same file, whatever its name.
        let found = try problems(linked) { directory in
            try directory.write(key, to: "k.key")
            try FileManager.default.linkItem(atPath: directory.path("k.key"), toPath: directory.path("app/data/logo"))
        }
        #expect(found == refusal)
        #expect(try problems(linked) { try $0.write(key, to: "k.key") } == [])
    }

    @Test(arguments: [true, false])
    func `is refused if the folder has the store, or will have it`(isThere: Bool) throws {
        let refusal = ["server.files: the folder has the file of session.store; give the app a folder of its own"]
        for (place, expected) in [("app/data/s.db", refusal), ("app/s.db", refusal), ("s.db", [])] {
            let stored = SettingsText.good + "\nsession: { store: 'sqlite:\(place)', keys: [{ file: k.key }] }\n"
            let found = try problems(stored) { directory in
                try directory.write(try KeyFile.line(id: "k1"), to: "k.key")
                if isThere { try directory.write("", to: place) }
            }
            #expect(found == expected)
        }
    }
}
