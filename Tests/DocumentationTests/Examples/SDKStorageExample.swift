import Basics
import HTTPCore
import JourneyClient
import Orchestrate
import StorageKit

/// Whatever is `Codable` can be kept.
struct Dog: Codable, Sendable, Equatable {
    let name: String
    let breed: String
}

/// Keeps a dog in a file that only this key opens; `cloakroom keygen` makes its line.
func keepDog(in folder: String, _ keyLine: String) async throws -> Dog? {
    let keys = try ServerKeys([ServerKey(line: keyLine)])
    let storage = FileStorage<Dog>(account: "myDog", in: folder, encryptor: ServerKeyEncryptor(keys))

    try await storage.save(Dog(name: "Bella", breed: "Whippet"))
    return try await storage.get()
}

/// In plain text, and in memory too: for what is no secret and read often.
func quickDogs(in folder: String) -> some Storage<Dog> {
    FileStorage<Dog>(account: "quickDog", in: folder, encryptor: NoEncryptor(), cacheable: true)
}

/// A storage of one's own needs three functions.
final class Shelf<Item: Sendable>: Storage {
    private let state = Locked<Item?>(nil)

    func save(_ item: Item) async throws(StorageError) { state.withLock { $0 = item } }

    func get() async throws(StorageError) -> Item? { state.withLock { $0 } }

    func delete() async throws(StorageError) { state.withLock { $0 = nil } }
}

/// A client with storages of one's own: the session on a shelf, in memory when the shelf fails; one cookie beside it.
func makeShelvedJourney(_ transport: any HTTPTransport, _ shelf: Shelf<SSOSession>) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = "https://tenant.example.com/am"
        config.realm = "alpha"
        config.journey = "Login"
        config.transport = transport
        config.module(JourneyModules.session) { $0.storage = shelf.cached(.cacheOnFailure) }
        config.module(Modules.cookies) { cookies in
            cookies.persist = ["device"]
            cookies.cookieStorage = Shelf<CookieJar>()
        }
    }
}
