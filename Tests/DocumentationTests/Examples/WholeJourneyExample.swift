import Basics
import HTTPCore
import JSON
import JourneyClient
import Orchestrate

/// Where a page sends its user, and what is kept of the flow while they are away; nil for a page that sends nobody.
func leave(_ step: FlowStep, _ journey: Journey) -> (departure: RedirectCallback, kept: [UInt8])? {
    guard case .continue(let page) = step.node, let redirect = JourneyPage(page).redirect, journey.allows(redirect)
    else { return nil }
    return (redirect, step.flow.encoded)
}

/// Goes on, once, when they are back: with what the other site has put into the query of its way back.
func comeBack(_ query: String, _ kept: [UInt8], _ bound: BoundJourney) async throws -> FlowStep? {
    guard let brought = QueryParameters(parsing: query) else { return nil }
    var returned = QueryParameters()
    for (name, value) in brought.pairs where Journey.returnNames.contains(name) { returned.append(name, value) }
    return try await bound.resume(FlowState(decoding: kept), returned: returned)
}

/// Goes on with the link of a message, when the user has clicked.
func openLink(_ link: String, _ bound: BoundJourney) async throws -> FlowStep? {
    guard let query = WebURL(link)?.query, let id = QueryParameters(parsing: query)?.single("suspendedId")
    else { return nil }
    return try await bound.resume(suspendedID: id)
}

/// Has the browser asked for a credential, and sends what it gives.
func useCredential(
    _ step: FlowStep, _ bound: BoundJourney,
    _ browser: (_ publicKey: JSONObject, _ kind: WebAuthnRequest.Kind) async throws -> JSONValue
) async throws -> FlowStep {
    guard case .continue(let page) = step.node else { return step }
    var answers = Answers()
    for case let callback as MetadataCallback in page.callbacks {
        guard let request = callback.webAuthn else { continue }
        // `PublicKeyCredential.toJSON()`, after the challenge, the origin and the relying party were looked at.
        answers[callback] = ["credential": try await browser(request.publicKey, request.kind)]
    }
    return try await bound.next(step.flow, answers)
}

/// Polls a page that waits until it is another one.
func waitOn(
    _ first: FlowStep, _ bound: BoundJourney, _ pause: (Duration) async throws -> Void
) async throws -> FlowStep {
    var step = first
    while case .continue(let page) = step.node {
        let waits = page.callbacks.compactMap { $0 as? PollingWaitCallback }
        guard let wait = waits.first else { break }
        try await pause(.milliseconds(wait.waitTime))  // never earlier: AM counts
        step = try await bound.next(step.flow, Answers(action: wait.id))
    }
    return step
}
