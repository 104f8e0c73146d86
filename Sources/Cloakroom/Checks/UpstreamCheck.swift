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
            let why = LiveCheck.sentence(error, at: route.upstream, correct: "upstream, start the API")
            return LiveFinding(subject: subject, failure: why)
        }
    }
}
