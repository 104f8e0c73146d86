internal import HTTPCore
internal import JSON
package import Orchestrate

extension DaVinci {
    /// The secrets with which a flow continues at PingOne, which no browser may see: its interaction and the values of
    /// its cookies.
    package static func secrets(of flow: OpenFlow) -> [String] {
        let step = DaVinciPage(flow.page).step
        let own = ["interactionId", "interactionToken", "continueToken"].compactMap { step[$0]?.string }
        let context = flow.state.context
        return own + [FlowKey.davinciSession, .cookies].flatMap { context[$0]?.values ?? [] }
    }
}
