import Basics
import Foundation
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("Settings of a storage")
struct StorageSettingsTests {
    /// The sample with a store, `main` as the storage of tokens, and these settings of it.
    private func text(
        _ storage: String, store: String = "redis://127.0.0.1:6379", key: String = "tokenStorage"
    ) -> String {
        SettingsText.good.replacingOccurrences(of: "realm: alpha", with: "realm: alpha\n    \(key): main")
            + "\nstorages: { main: \(storage) }\n"
            + "session: { store: '\(store)', keys: [{ id: k1, key: '${SESSION_KEY}' }] }\n"
    }

    private func problems(
        _ storage: String, store: String = "redis://127.0.0.1:6379", key: String = "tokenStorage"
    ) -> [String] {
        SettingsText.problems(text(storage, store: store, key: key)).map { problem in
            // Without the line.
            String(problem.drop { $0 != " " }.dropFirst())
        }
    }

    @Test func `say how old a copy may be, and keep to bounds`() throws {
        let settings = try SettingsText.read(text("{ cacheStrategy: cacheOnFailure, maxAge: 30s }")).settings
        let rule = StorageStrategy(.cacheOnFailure, maxAge: .seconds(30))
        #expect(settings.storages == [StorageSettings(name: "main", strategy: rule)])
        #expect(problems("{ cacheStrategy: cacheOnFailure, maxAge: 30s }") == [])
        #expect(problems("{ cacheStrategy: noCache, encryptor: sealing }") == [])
        #expect(
            problems("{ cacheStrategy: cacheOnFailure, maxAge: 61s }") == [
                "storages.main.maxAge: expected a duration from 1s to 1m"
            ])
        #expect(
            problems("{ cacheStrategy: always }") == [
                "storages.main.cacheStrategy: expected noCache, cacheOnFailure or cache"
            ])
        #expect(
            problems("{ encryptor: none }") == ["storages.main.encryptor: expected sealing or program"])
    }

    @Test func `allow cache over a store that is shared only where they say that it is stale`() {
        let reason = "\(StorageSettings.staleness); storages.main.insecureStaleReads: true allows it"
        let refused = ["storages.main.cacheStrategy: \(reason)"]
        #expect(problems("{ cacheStrategy: cache }") == refused)
        #expect(problems("{ cacheStrategy: cache, insecureStaleReads: false }") == refused)
        #expect(problems("{ cacheStrategy: cache }", store: "sqlite:/tmp/sessions.sqlite") == refused)
        #expect(problems("{ cacheStrategy: cache, insecureStaleReads: true }") == [])
        #expect(problems("{ cacheStrategy: cache }", store: "memory") == [])
    }

    @Test func `say nothing that has no effect`() {
        #expect(
            problems("{ maxAge: 30s }") == [
                "storages.main.maxAge: is for cacheStrategy cacheOnFailure or cache; nothing is cached here"
            ])
        #expect(
            problems("{ cacheStrategy: cacheOnFailure, insecureStaleReads: true }") == [
                "storages.main.insecureStaleReads: is for cacheStrategy cache; expected false or no such key"
            ])
        #expect(
            problems("{ cacheStrategy: cacheOnFailure }", key: "sessionStorage") == [
                "storages.main.cacheStrategy: expected noCache: no client names this storage in tokenStorage"
            ])
    }

    @Test func `ask for an encryptor that only a program brings`() throws {
        var settings = try SettingsText.read(text("{ encryptor: program }")).settings
        #expect(settings.storages == [StorageSettings(name: "main", encryptor: .program)])
        var extensions = ServerExtensions()
        let refused = ServerError.setting(
            key: "storages.main.encryptor", expected: "expected sealing: this program brings no encryptor")
        #expect(throws: refused) { try settings.strategies(extensions) }
        extensions.encryptor = NoEncryptor()
        #expect(try settings.strategies(extensions) == [:])
        // A program's own store is one that others may share.
        settings.store = .memory
        settings.storages = [StorageSettings(name: "main", strategy: StorageStrategy(.cache))]
        #expect(try settings.strategies(extensions) == [:])
        extensions.store = MemoryStore(time: ManualTime())
        let stale = ServerError.setting(
            key: "storages.main.cacheStrategy",
            expected: StorageSettings.staleness + "; insecureStaleReads: true allows it")
        #expect(throws: stale) { try settings.strategies(extensions) }
    }
}
