import Foundation
import SettingsKit
import Testing

@testable import Cloakroom

/// Faults of the file itself.
extension SettingsFaultTests {
    @Test func `may begin with a byte order mark, and hold no other one`() throws {
        let directory = try ScratchDirectory()
        let marked = try directory.write("\u{FEFF}" + SettingsText.good, to: "marked.yaml")
        _ = try SettingsSource(path: marked, environment: SettingsText.variables).read()
        let twice = try directory.write("\u{FEFF}\u{FEFF}" + SettingsText.good, to: "twice.yaml")
        #expect(throws: SettingsError.self) {
            _ = try SettingsSource(path: twice, environment: SettingsText.variables).read()
        }
        directory.remove()
    }

    @Test func `is told the line of bytes that are no UTF-8`() throws {
        let source = SettingsSource(path: "cloakroom.yaml", environment: SettingsText.variables)
        let bytes = Array((SettingsText.good + "\n# ").utf8) + [0xE9]
        let error = #expect(throws: SettingsError.self) {
            _ = try source.read(bytes, files: SettingsFiles(besides: "/nowhere/"), isPublic: false)
        }
        #expect(error?.description == "cloakroom.yaml:13: the file is not UTF-8")
    }

    /// Root may read everything, so that the reason is tried without a file.
    @Test func `that this user may not read says so`() {
        for code in [EACCES, EPERM] {
            let failure = SettingsFiles.FileError(opening: code)
            #expect(failure == .forbidden && failure.message(limit: "") == "the file may not be read by this user")
        }
        #expect(SettingsFiles.FileError(opening: EIO) == .unreadable)
    }

    @Test func `that is not there, a directory or too long says so`() throws {
        let directory = try ScratchDirectory()
        try directory.write(String(repeating: "#", count: 1 << 20 + 1), to: "long.yaml")
        try directory.write("a: \u{FFFD}", to: "fine.yaml")
        for (name, message) in [
            ("none.yaml", "the file does not exist"), ("", "expected a file, not a directory"),
            ("long.yaml", "the file is longer than 1MiB"),
        ] {
            let path = directory.path(name)
            #expect(throws: SettingsError([SettingsProblem(file: path, line: nil, key: "", message: message)])) {
                _ = try SettingsSource(path: path, environment: [:]).read()
            }
        }
        directory.remove()
    }
}
