internal import HTTPCore
internal import JSON
package import Orchestrate

extension Journey {
    /// What a journey goes on by at AM, and is told to no browser: its step token and the values of its cookies.
    package static func secrets(of flow: OpenFlow) -> [String] {
        let own = [JourneyPage(flow.page).step["authId"]?.string].compactMap(\.self)
        return own + [FlowKey.balancer, .cookies].flatMap { flow.state.context[$0]?.values ?? [] }
    }
}
