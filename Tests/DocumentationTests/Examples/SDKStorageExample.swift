import Basics
import DaVinciClient
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
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

/// In plain text, since no encryptor is named, and in memory too: for what is no secret and read often.
func quickDogs(in folder: String) -> some Storage<Dog> {
    FileStorage<Dog>(account: "quickDog", in: folder, cacheable: true)
}

/// In memory alone, and sealed there.
func sealedDogs(_ encryptor: any Encryptor) -> some Storage<Dog> {
    MemoryStorage<Dog>(account: "sealedDog", encryptor: encryptor, cacheable: false)
}

/// A storage of one's own needs three functions; this one keeps JSON, session and tokens included.
final class Shelf<Item: Codable & Sendable>: Storage {
    private let text = Locked<[UInt8]?>(nil)

    func save(_ item: Item) async throws(StorageError) {
        guard let json = try? JSONCodec().encode(item) else { throw .malformed }
        text.withLock { $0 = json }
    }

    func get() async throws(StorageError) -> Item? {
        guard let json = text.withLock({ $0 }) else { return nil }
        guard let item = try? JSONCodec().decode(Item.self, from: json) else { throw .malformed }
        return item
    }

    func delete() async throws(StorageError) { text.withLock { $0 = nil } }
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
            cookies.storage = Shelf<CookieJar>()
        }
    }
}

/// PingOne's cookies are its session: the client says which ones are kept, and the block of its session where.
func makeShelvedDaVinci(_ transport: any HTTPTransport, _ shelf: Shelf<DaVinciSession>) throws -> DaVinci {
    try DaVinci.createDaVinci { config in
        config.transport = transport
        config.persistCookies = ["ST", "ST-NO-SS"]
        config.module(DaVinciModules.session) { $0.storage = shelf }
        config.oidc { oidc in
            oidc.discovery = "https://auth.pingone.eu/ENVIRONMENT/as/.well-known/openid-configuration"
            oidc.clientID = "web"
            oidc.redirectURI = "https://app.example.com/callback"
            oidc.storage = Shelf<TokenSet>()
        }
    }
}
