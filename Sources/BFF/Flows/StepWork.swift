import Basics

/// What it takes to begin a flow.
struct StartWork: Sendable {
    let call: InstanceCall
    /// The request as it goes to the client.
    let request: StartRequest
    /// What the flow is started for, when it is a step-up.
    let goal: StepUpGoal?
    let begun: Timestamp
    /// The browser's session; nil when it has none.
    let session: OpenedSession?
}

/// What it takes to run a step; the body stays with the request, so that a password in it is not kept any longer.
struct StepWork: Sendable {
    let call: InstanceCall
    let flow: String
    let step: Int
    let mac: [UInt8]
    let answers: PageAnswers
}

/// A step on its way to the provider: the session as it was then, and the flow as it was written.
struct SentStep: Sendable {
    let session: OpenedSession
    let flow: FlowRecord
}
