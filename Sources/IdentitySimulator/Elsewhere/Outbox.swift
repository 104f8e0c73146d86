internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `GET /simulator/outbox`: the messages that journeys and flows have sent, the latest first.
///
/// Refuses by docs/simulator.md, 'Faults'.
final class Outbox: Sendable {
    private static let capacity = 100

    /// A message with a link or with a code.
    struct Message: Sendable {
        let address: String
        var link: String?
        var suspendedID: String?
        var code: String?

        var json: JSONValue {
            var json: JSONObject = ["to": .string(address)]
            json["link"] = link.map { .string($0) }
            json["suspendedId"] = suspendedID.map { .string($0) }
            json["code"] = code.map { .string($0) }
            return .object(json)
        }
    }

    private let messages = Locked<[Message]>([])

    func send(_ message: Message) {
        messages.withLock { messages in
            messages.insert(message, at: 0)
            if messages.count > Self.capacity { messages.removeLast() }
        }
    }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .get else { return .amError(405, "Method Not Allowed") }
        let messages = messages.withLock { $0 }
        return .json(200, ["messages": .array(messages.map(\.json))])
    }
}

/// The parts outside of the realm that a journey can reach.
struct Elsewhere: Sendable {
    let social: SocialProvider
    let outbox: Outbox
    let gateway: PolicyGateway
    /// The request that the journey is answering.
    let call: SimulatedCall

    /// The address of the application whose page runs the journey.
    var application: String { call.headers.single("origin") ?? "https://app.example.com" }
    /// The address that users return to from another provider.
    var returnAddress: String { application + "/bff/standard/return" }
}
