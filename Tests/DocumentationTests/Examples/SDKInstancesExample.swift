import Basics
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// Where AM is, and the secrets of its OAuth clients.
struct Tenant {
    var server: String
    var secrets: [String: Secret<String>]

    /// A client of the realm; without a storage for the `session` module the session is not kept.
    func journey(_ clientID: String, _ name: String, configure: (inout JourneyConfig) -> Void) throws -> Journey {
        try Journey.createJourney { config in
            config.serverUrl = server
            config.realm = "alpha"
            config.journey = name
            config.oidc { oidc in
                oidc.clientID = clientID
                oidc.authentication = secrets[clientID].map { .basic($0) } ?? .none
                oidc.scopes = clientID == "bff-tx" ? ["openid", "WRITE_TRANSACTION"] : ["openid", "profile"]
                oidc.redirectURI = "https://app.example.com/callback"
                oidc.storage = MemoryStorage<TokenSet>()
            }
            configure(&config)
        }
    }
}

/// One session, two tokens: each client has its own, and the user signs in once.
struct Bank {
    let standard: Journey
    let transaction: Journey

    init(_ tenant: Tenant) throws {
        let session = MemoryStorage<SSOSession>()
        standard = try tenant.journey("bff", "Login") { config in
            config.module(JourneyModules.session) { $0.storage = session }
        }
        transaction = try tenant.journey("bff-tx", "StepUp") { config in
            config.module(JourneyModules.session) { $0.storage = session }
        }
    }
}

extension Bank {
    func freshTransactionToken() async throws -> TokenSet? {
        try await transaction.bound().user()?.refresh()
    }

    func signOutBoth() async throws {
        _ = try await transaction.bound().user()?.logout()
        _ = try await standard.bound().user()?.logout()
    }
}

/// A user whose session and tokens lie apart from those of others, sealed, and outlive the process.
func makeAccount(_ name: String, _ tenant: Tenant, in folder: String, _ keys: ServerKeys) throws -> Journey {
    let encryptor = ServerKeyEncryptor(keys)
    return try Journey.createJourney { config in
        config.serverUrl = tenant.server
        config.realm = "alpha"
        config.journey = "Login"
        config.module(JourneyModules.session) { session in
            session.storage = FileStorage<SSOSession>(account: "\(name)_session", in: folder, encryptor: encryptor)
        }
        config.oidc { oidc in
            oidc.clientID = "bff"
            oidc.authentication = tenant.secrets["bff"].map { .basic($0) } ?? .none
            oidc.scopes = ["openid", "profile"]
            oidc.redirectURI = "https://app.example.com/callback"
            oidc.storage = FileStorage<TokenSet>(account: "\(name)_tokens", in: folder, encryptor: encryptor)
        }
    }
}

/// A fixed set of clients, by name.
struct NamedJourneys {
    private let journeys: [String: Journey]

    init(_ bank: Bank) {
        journeys = ["standard": bank.standard, "transaction": bank.transaction]
    }

    subscript(name: String) -> Journey? { journeys[name] }

    func freshToken(of name: String) async throws -> TokenSet? {
        try await journeys[name]?.bound().user()?.refresh()
    }

    func signOutAll() async throws {
        for journey in journeys.values { _ = try await journey.bound().user()?.logout() }
    }
}

/// As many users as there are.
actor Accounts {
    private var journeys: [Journey] = []

    func add(_ journey: Journey) {
        journeys.append(journey)
    }

    func signOutAll() async throws {
        let all = journeys
        journeys = []
        for journey in all { _ = try await journey.bound().user()?.logout() }
    }
}
