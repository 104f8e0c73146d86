package import Orchestrate

extension OpenFlow {
    /// The languages of the flow's start, best first; empty if it had none.
    package var languages: [String] { state.context[.options]?.languages ?? [] }
}
