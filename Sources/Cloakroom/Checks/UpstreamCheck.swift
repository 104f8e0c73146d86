internal import BFFAPI
internal import HTTPCore

/// The try of one API that calls are passed on to.
enum UpstreamCheck {
    /// Asks for nothing, by HEAD and without a token: whatever it answers, it is there.
    static func finding(_ place: Int, _ route: RouteSettings, _ transport: any HTTPTransport) async -> LiveFinding {
        let subject = "routes[\(place)]: upstream"
        do throws(TransportError) {
            _ = try await transport.send(ClientRequest(.head, route.upstream), deadline: .now + .seconds(15))
            return LiveFinding(subject: subject, failure: nil)
        } catch {
            let why =
                switch error {
                case .notReached(let fault): "the API cannot be reached (\(fault.rawValue))"
                case .noUsableAnswer(let fault): "the API gives no answer that is HTTP (\(fault.rawValue))"
                case .cancelled: "interrupted"
                }
            return LiveFinding(subject: subject, failure: "\(why); correct upstream, or start it")
        }
    }
}
