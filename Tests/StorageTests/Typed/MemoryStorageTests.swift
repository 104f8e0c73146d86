import Basics
import StorageKit
import TestSupport
import Testing

private struct Dog: Codable, Sendable, Equatable {
    var name: String
}

/// An item that no encoder takes.
private struct Cat: Codable, Sendable {
    init() {}
    init(from decoder: any Decoder) throws { throw StorageError.malformed }
    func encode(to encoder: any Encoder) throws { throw StorageError.malformed }
}

/// Turns each byte around, and counts what it seals and opens.
private struct Mirror: Encryptor {
    let sealed = Locked<[[UInt8]]>([])
    let opened = Locked(0)
    /// The place that does not open.
    var moved: RecordAddress?

    func encrypt(_ plaintext: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        let bytes = address.session.bytes + plaintext.map { ~$0 }
        sealed.withLock { $0.append(bytes) }
        return bytes
    }

    func decrypt(_ sealed: [UInt8], at address: RecordAddress) throws(SealError) -> [UInt8] {
        opened.withLock { $0 += 1 }
        guard sealed.starts(with: address.session.bytes), address != moved else { throw .failed }
        return sealed.dropFirst(address.session.bytes.count).map { ~$0 }
    }
}

@Suite("A storage in memory")
struct MemoryStorageTests {
    @Test func `holds its item as it is, whatever type it has`() async throws {
        let storage = MemoryStorage(1)
        #expect(try await storage.get() == 1 && storage.item == 1)
        try await storage.save(2)
        #expect(storage.item == 2)
        try await storage.delete()
        #expect(try await storage.get() == nil && storage.item == nil)
    }

    @Test(arguments: [true, false])
    func `holds an item of an account sealed, and in plain text when it may`(cacheable: Bool) async throws {
        let mirror = Mirror()
        let storage = MemoryStorage<Dog>(account: "dogs", encryptor: mirror, cacheable: cacheable)
        #expect(try await storage.get() == nil)
        try await storage.save(Dog(name: "Bella"))
        let held = try #require(mirror.sealed.withLock { $0.last })
        #expect(
            held.starts(with: SessionKey(tag: Array("dogs".utf8)).bytes)
                && !String(decoding: held, as: UTF8.self).contains("Bella"))
        #expect(try await storage.get() == Dog(name: "Bella"))
        #expect(mirror.opened.withLock { $0 } == (cacheable ? 0 : 1))
        #expect(storage.item == Dog(name: "Bella"))
        try await storage.delete()
        #expect(try await storage.get() == nil)
    }

    @Test func `needs no encryptor, and takes a record in its own form`() async throws {
        let dogs = MemoryStorage<Dog>(account: "dogs")
        try await dogs.save(Dog(name: "Bella"))
        #expect(try await dogs.get()?.name == "Bella")
        let mirror = Mirror()
        let notes = MemoryStorage<HeldNote>(account: "notes", encryptor: mirror)
        try await notes.save(HeldNote("a"))
        #expect(try await notes.get() == HeldNote("a"))
        #expect(
            mirror.sealed.withLock { $0 } == [
                SessionKey(tag: Array("notes".utf8)).bytes + HeldNote("a").encoded.map { ~$0 }
            ])
    }

    @Test func `says that an item does not open, and keeps none that cannot be encoded`() async throws {
        let place = RecordAddress(session: SessionKey(tag: Array("dogs".utf8)), field: "item")
        let storage = MemoryStorage<Dog>(account: "dogs", encryptor: Mirror(moved: place))
        try await storage.save(Dog(name: "Bella"))
        await #expect(throws: StorageError.malformed) { try await storage.get() }
        #expect(storage.item == nil)
        let cats = MemoryStorage<Cat>(account: "cats", cacheable: true)
        await #expect(throws: StorageError.malformed) { try await cats.save(Cat()) }
        #expect(try await cats.get() == nil)
    }
}

private struct HeldNote: RecordCodable, Equatable {
    static let version: UInt8 = 1
    var text: String

    init(_ text: String) { self.text = text }

    func write(into writer: inout RecordWriter) { writer.write(text) }

    init(from reader: inout RecordReader) throws(RecordError) { text = try reader.string() }
}
