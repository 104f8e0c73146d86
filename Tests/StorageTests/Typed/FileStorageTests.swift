import Basics
import Foundation
import StorageKit
import TestSupport
import Testing

private struct Dog: Codable, Sendable, Equatable {
    var name: String
    var breed: String
}

private struct KeptNote: RecordCodable, Equatable {
    static let version: UInt8 = 1
    var text: String

    init(_ text: String) { self.text = text }

    func write(into writer: inout RecordWriter) { writer.write(text) }

    init(from reader: inout RecordReader) throws(RecordError) { text = try reader.string() }
}

@Suite("A storage in a file")
struct FileStorageTests {
    private let folder: TemporaryFolder
    private let key: ServerKey
    private let keys: ServerKeys
    private let bella = Dog(name: "Bella", breed: "Whippet")

    init() throws {
        folder = try TemporaryFolder()
        key = try ServerKey(line: ServerKey.generateLine(id: "k1").reveal())
        keys = try ServerKeys([key])
    }

    private func dogs(_ account: String = "dogs", cacheable: Bool = false) -> FileStorage<Dog> {
        FileStorage(account: account, in: folder.path, encryptor: ServerKeyEncryptor(keys), cacheable: cacheable)
    }

    private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path) }

    @Test func `keeps its item for another storage of the same account`() async throws {
        #expect(try await dogs().get() == nil)
        try await dogs().save(bella)
        #expect(try await dogs().get() == bella)
        try await dogs().save(Dog(name: "Rex", breed: "Boxer"))
        #expect(try await dogs().get()?.name == "Rex")
        #expect(try await dogs("cats").get() == nil)
        try await dogs().delete()
        try await dogs().delete()
        #expect(try await dogs().get() == nil)
        #expect(try files() == [])
    }

    @Test func `keeps an item in a stored form of its own`() async throws {
        let notes = FileStorage<KeptNote>(account: "notes", in: folder.path, encryptor: ServerKeyEncryptor(keys))
        try await notes.save(KeptNote("one"))
        #expect(try await notes.get() == KeptNote("one"))
    }

    @Test func `leaves one file for its owner alone, without a readable word of the item`() async throws {
        for _ in 0..<3 { try await dogs().save(bella) }
        #expect(try files() == ["dogs.item"])
        let path = folder.file("dogs.item")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let bytes = try Data(contentsOf: URL(filePath: path))
        #expect(bytes.range(of: Data("Bella".utf8)) == nil)
    }

    @Test func `refuses a file that was changed, moved, or sealed with another key`() async throws {
        try await dogs().save(bella)
        let path = folder.file("dogs.item")
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("cats.item"))
        await #expect(throws: StorageError.malformed) { try await dogs("cats").get() }
        let other = try ServerKeys([ServerKey(line: ServerKey.generateLine(id: "k1").reveal())])
        let stranger = FileStorage<Dog>(account: "dogs", in: folder.path, encryptor: ServerKeyEncryptor(other))
        await #expect(throws: StorageError.malformed) { try await stranger.get() }
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(filePath: path))
        await #expect(throws: StorageError.malformed) { try await dogs().get() }
    }

    @Test func `opens what an earlier key has sealed`() async throws {
        try await dogs().save(bella)
        let newer = try ServerKey(line: ServerKey.generateLine(id: "k2").reveal())
        let both = FileStorage<Dog>(
            account: "dogs", in: folder.path, encryptor: ServerKeyEncryptor(try ServerKeys([newer, key])))
        #expect(try await both.get() == bella)
    }

    @Test func `gives any account a file in its own folder`() async throws {
        for account in ["../evil", "a/b", "", "User A"] {
            try await dogs(account).save(bella)
            #expect(try await dogs(account).get() == bella)
        }
        #expect(try files().count == 4)
        #expect(try files().allSatisfy { $0.hasPrefix("~") && $0.hasSuffix(".item") })
    }

    @Test(arguments: [
        (["STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "HOME": "/home/a"], "/var/lib/a"),
        (["XDG_STATE_HOME": "/state", "HOME": "/home/a"], "/state/cloakroom"),
        (["XDG_STATE_HOME": "state", "HOME": "/home/a"], "/home/a/.local/state/cloakroom"),
    ])
    func `lies where services and users keep their state, unless told otherwise`(
        environment: [String: String], folder: String
    ) {
        #expect(FileStorage<Dog>.defaultFolder { environment[$0] } == folder)
    }

    @Test func `makes its folder, for its owner alone`() async throws {
        let place = folder.path + "/a/b"
        let storage = FileStorage<Dog>(account: "dogs", in: place, encryptor: NoEncryptor())
        try await storage.save(bella)
        let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        try FileManager.default.removeItem(atPath: folder.path + "/a")
    }

    @Test func `leaves its item as it is unless it has an encryptor, for its owner alone`() async throws {
        let storage = FileStorage<Dog>(account: "dogs", in: folder.path)
        try await storage.save(bella)
        let text = try String(contentsOfFile: folder.file("dogs.item"), encoding: .utf8)
        #expect(text == #"{"breed":"Whippet","name":"Bella"}"#)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("dogs.item"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await storage.get() == bella)
        await #expect(throws: StorageError.malformed) { try await dogs().get() }
    }

    @Test func `says that a folder cannot be had, and that another type is in the file`() async throws {
        let nowhere = FileStorage<Dog>(account: "dogs", in: "/proc/nowhere", encryptor: NoEncryptor())
        await #expect(throws: StorageError.unavailable) { try await nowhere.save(bella) }
        let numbers = FileStorage<[Int]>(account: "dogs", in: folder.path, encryptor: ServerKeyEncryptor(keys))
        try await numbers.save([1])
        await #expect(throws: StorageError.malformed) { try await dogs().get() }
    }

    @Test(arguments: [true, false]) func `is in memory after a save when it may be`(cacheable: Bool) async throws {
        let storage = dogs(cacheable: cacheable)
        try await storage.save(bella)
        try FileManager.default.removeItem(atPath: folder.file("dogs.item"))
        #expect(try await storage.get() == (cacheable ? bella : nil))
    }

    @Test func `is whole whatever is saved at once`() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    try await dogs().save(Dog(name: String(repeating: "x", count: number * 500), breed: "\(number)"))
                }
            }
            try await group.waitForAll()
        }
        #expect(try await dogs().get() != nil)
        #expect(try files() == ["dogs.item"])
    }
}
