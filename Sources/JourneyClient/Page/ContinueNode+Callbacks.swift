public import Orchestrate

extension ContinueNode {
    /// The callbacks of a journey's page in page order, including callbacks that are never shown.
    public var callbacks: [any JourneyCallback] { JourneyPage.callbacks(of: self) }
}
