internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `GET /simulator/outbox`: the messages that journeys have sent, the last first.
final class Outbox: Sendable {
    private static let capacity = 100

    /// A message with a link.
    struct Message: Sendable {
        let address: String
        let link: String
        let suspendedID: String
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
        return .json(
            200,
            [
                "messages": .array(
                    messages.map {
                        ["to": .string($0.address), "link": .string($0.link), "suspendedId": .string($0.suspendedID)]
                    })
            ])
    }
}

/// What lies outside of the realm, as a journey reaches it.
struct Elsewhere: Sendable {
    let social: SocialProvider
    let outbox: Outbox
    let gateway: PolicyGateway
    /// The request that the journey answers.
    let call: SimulatedCall

    /// The address of the application whose page runs the journey.
    var application: String { call.headers.single("origin") ?? "https://app.example.com" }
    /// Where users come back to.
    var returnAddress: String { application + "/bff/standard/return" }
}
