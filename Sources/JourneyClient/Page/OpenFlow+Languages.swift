package import Orchestrate

extension OpenFlow {
    /// The languages that the flow began with, best first; none where it had none.
    package var languages: [String] { state.context[.options]?.languages ?? [] }
}
