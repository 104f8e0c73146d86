import DaVinciClient
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit

/// What the caller keeps of one user of PingOne.
struct PingStores {
    let session = MemoryStorage<DaVinciSession>()
    let tokens = MemoryStorage<TokenSet>()

    func caller() -> Caller {
        var storages = CallerStorages()
        storages[.davinciSession] = session
        storages[.tokens] = tokens
        return Caller(languages: ["en-GB"], deadline: .now + .seconds(130), storages: storages)
    }
}

func makeDaVinci(_ transport: any HTTPTransport) throws -> DaVinci {
    try DaVinci.createDaVinci { config in
        config.transport = transport
        config.oidc { oidc in
            oidc.discovery = "https://auth.pingone.eu/ENVIRONMENT/as/.well-known/openid-configuration"
            oidc.clientID = "web"
            oidc.redirectURI = "https://app.example.com/callback"
            oidc.acrValues = ["POLICY"]
            oidc.callersBringStorage = true
        }
    }
}

/// Signs a user in; says in the words of PingOne why not.
func signIn(_ davinci: DaVinci, _ user: PingStores, _ password: String) async throws -> String? {
    let bound = davinci.bound(to: user.caller())
    var step = try await bound.start()
    while case .continue(let page) = step.node {
        var answers = Answers()
        for collector in page.collectors {
            switch collector.type {
            case "TextCollector": answers.values[collector.id] = "demo"
            case "PasswordCollector": answers.values[collector.id] = .string(password)
            case "SubmitCollector": answers.action = collector.id
            default: break
            }
        }
        step = try await bound.next(step.flow, answers)
    }
    switch step.node {
    case .success: return nil
    case .error(let refusal): return refusal.message
    default: return "the flow is over"
    }
}
