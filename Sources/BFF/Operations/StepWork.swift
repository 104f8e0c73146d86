/// What it takes to run a step; the body stays with the request, so that a password in it is not kept any longer.
struct StepWork: Sendable {
    let definition: ClientDefinition
    let flow: String
    let step: Int
    let mac: [UInt8]
    let answers: PageAnswers
    let context: CallContext
}

/// A step on its way to the provider: the session as it was then, and the flow as it was written.
struct SentStep: Sendable {
    let session: OpenedSession
    let flow: FlowRecord
}
