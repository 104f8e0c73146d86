import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// What the caller keeps of one user: in a server this is a record of the browser session.
struct UserStores {
    let session = MemoryStorage<SSOSession>()
    let tokens = MemoryStorage<TokenSet>()

    func caller(_ browser: BrowserFacts = BrowserFacts()) -> Caller {
        var storages = CallerStorages()
        storages[.session] = session
        storages[.tokens] = tokens
        return Caller(
            languages: ["en-GB"], browser: browser, deadline: .now + .seconds(30), storages: storages)
    }
}

func makeJourney(_ transport: any HTTPTransport, _ oidc: OpenIDClient? = nil) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = "https://tenant.example.com/am"
        config.realm = "alpha"
        config.journey = "Login"
        config.transport = transport
        if let oidc { config.oidc(oidc) }
    }
}

/// A journey that tells AM where its users come from.
func makeTellingJourney(_ transport: any HTTPTransport) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = "https://tenant.example.com/am"
        config.realm = "alpha"
        config.journey = "Login"
        config.transport = transport
        config.publicUrl = "https://app.example.com"
        config.origins = ["https://admin.example.com"]
        config.forward.clientAddress = .xForwardedFor
        config.forward.userAgent = .browser
    }
}

func startFrom(_ page: String, _ journey: Journey, _ user: UserStores) async throws -> FlowStep {
    let browser = BrowserFacts(origin: page, address: "192.0.2.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64)")
    return try await journey.bound(to: user.caller(browser)).start()
}

func signIn(_ journey: Journey, _ user: UserStores) async throws -> Bool {
    let bound = journey.bound(to: user.caller())
    var step = try await bound.start()
    while case .continue(let page) = step.node {
        var answers = Answers()
        for case let callback as any JourneyCallback in page.actions {
            switch callback {
            case is NameCallback: answers.values[callback.id] = "demo"
            case is PasswordCallback: answers.values[callback.id] = "Ch4ng3it!"
            default: break  // goes back as it came
            }
        }
        step = try await bound.next(step.flow, answers)
    }
    switch step.node {
    case .success(let success): return success.isSignedIn
    case .error(let refused): print("refused: \(refused.message)")
    case .failure(let failure): print("failed: \(failure.cause)")
    case .continue: break
    }
    return false
}

func useTokens(_ journey: Journey, _ user: UserStores) async throws {
    guard let signedIn = try await journey.bound(to: user.caller()).user() else { return }
    let tokens = try await signedIn.token()  // renewed when it is about to end
    print("scopes: \(tokens.scopes), subject: \(try await signedIn.userinfo()["sub"]?.string ?? "")")
    _ = await signedIn.logout()
}
