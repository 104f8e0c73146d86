import JourneyClient
import Orchestrate
import StorageKit

/// Signs one user in and out: `swift run shop https://tenant.example.com/am demo`, with the password as a line of input.
@main
enum Shop {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3, let secret = readLine() else { return print("shop ADDRESS-OF-AM USER < PASSWORD") }
        let journey = try Journey.createJourney { config in
            config.serverUrl = words[1]
            config.realm = "alpha"
            config.journey = "Login"
            config.module(JourneyModules.session) { $0.storage = MemoryStorage<SSOSession>() }
        }
        let bound = journey.bound()
        var step = try await bound.start()
        while case .continue(let page) = step.node {
            var answers = Answers()
            for callback in page.callbacks {
                switch callback {
                case let name as NameCallback: answers[name] = words[2]
                case let password as PasswordCallback: answers[password] = secret
                default: break  // goes back as it came
                }
            }
            step = try await bound.next(step.flow, answers)
        }
        switch step.node {
        case .success(let success): print("signed in at \(success.session.realm)")
        case .error(let refusal): print("refused: \(refusal.message)")
        case .failure(let failure): print("failed: \(failure.cause)")
        case .continue: break
        }
        print("signed out: \(await bound.signOff().isComplete)")
    }
}
