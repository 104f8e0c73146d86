internal import BFFAPI
internal import HTTPCore
internal import ProductKit

/// The check of one API behind a route.
enum UpstreamCheck {
    /// Sends a HEAD without a token: any answer shows that the API is reachable.
    static func finding(_ place: Int, _ route: RouteSettings, _ transport: any HTTPTransport) async -> LiveFinding {
        let subject = "routes[\(place)]: upstream"
        do throws(TransportError) {
            _ = try await transport.send(ClientRequest(.head, route.upstream), deadline: .now + .seconds(15))
            return LiveFinding(subject: subject, failure: nil)
        } catch {
            let why = LiveCheck.sentence(error, at: route.upstream, correct: "upstream, start the API")
            return LiveFinding(subject: subject, failure: why)
        }
    }
}
