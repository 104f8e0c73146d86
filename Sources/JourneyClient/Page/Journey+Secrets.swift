internal import HTTPCore
internal import JSON
package import Orchestrate

extension Journey {
    /// The secrets of a flow at AM that browsers must not see: its step token and the values of its cookies.
    package static func secrets(of flow: OpenFlow) -> [String] {
        let own = [JourneyPage(flow.page).step["authId"]?.string].compactMap(\.self)
        return own + [FlowKey.balancer, .cookies].flatMap { flow.state.context[$0]?.values ?? [] }
    }
}
