import Basics
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// A journey of one user, with tokens: all that differs from the defaults.
func makeUserJourney(_ server: String, secret: Secret<String>) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = server
        config.realm = "alpha"
        config.journey = "Login"
        config.module(JourneyModules.session) { $0.storage = MemoryStorage<SSOSession>() }
        config.oidc { oidc in
            oidc.clientID = "bff"
            oidc.authentication = .basic(secret)
            oidc.scopes = ["openid", "profile", "email"]
            oidc.redirectURI = "https://app.example.com/callback"
            oidc.storage = MemoryStorage<TokenSet>()
        }
    }
}

/// Answers the pages of a journey, whatever they ask.
func run(
    _ journey: Journey, as user: String, _ password: String, _ options: StartOptions = StartOptions()
) async throws -> Node {
    var step = try await journey.bound().start(nil, options)
    while case .continue(let page) = step.node {
        var answers = Answers()
        for callback in page.callbacks {
            switch callback {
            case let name as NameCallback: answers[name] = user
            case let field as PasswordCallback: answers[field] = password
            case let choice as ChoiceCallback: answers[choice] = choice.defaultChoice
            default: break  // goes back as it came
            }
        }
        step = try await journey.bound().next(step.flow, answers)
    }
    return step.node
}

/// What a node says.
func outcome(of node: Node) -> String {
    switch node {
    case .continue(let page): "a page with \(page.callbacks.count) questions"
    case .error(let refused): "refused: \(refused.message)"
    case .failure(let failure): "failed: \(failure.cause)"
    case .success(let success): "signed in at \(success.session.realm), on to \(success.session.successURL)"
    }
}

/// What AM sent, as it sent it: for the program alone, since it may hold the session's token.
func message(in node: Node) -> String? {
    node.input?["message"]?.string
}

/// All that a signed-in user can do.
func useSession(_ journey: Journey) async throws -> [String] {
    guard let user = try await journey.bound().journeyUser() else { return ["nobody"] }
    var done: [String] = []
    do throws(JourneyTokenError) {
        let tokens = try await user.token()
        done.append("token for \(tokens.scopes.joined(separator: " "))")
        let claims = try await user.userinfo(cache: true)
        done.append("userinfo of \(claims["preferred_username"]?.string ?? "-")")
        let renewed = try await user.refresh()
        done.append("renewed: \(renewed.accessToken != tokens.accessToken)")
        try await user.revoke()
        done.append("revoked; still a session: \((try? await journey.bound().session()) != nil)")
    } catch {
        done.append("no tokens: \(error)")
    }
    let report = await user.logout()
    done.append("signed out: \(report.isComplete)")
    return done
}
