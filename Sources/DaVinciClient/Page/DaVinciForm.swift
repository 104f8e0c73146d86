internal import JSON

/// What a page shows and asks, and what is looked for in it again and again, found out once.
///
/// Pages with the same form may share it, so it knows nothing of the flow.
final class DaVinciForm: Sendable {
    /// The collectors in the order of the form's fields.
    let collectors: [Collector]
    /// What the page waits for.
    let poll: PollRequest?
    /// The ways to other identity providers, whether or not the flow could go on afterwards.
    let departures: [DaVinciPage.DepartureQuestion]
    /// The questions for credentials of the browser.
    let credentials: [DaVinciPage.CredentialQuestion]
    /// The questions as browsers see them, of a form that many pages share; nil where each makes them for itself.
    let documents: [JSONObject]?

    init(_ collectors: [Collector], isShared: Bool = false) {
        var poll: PollRequest?
        var departures: [DaVinciPage.DepartureQuestion] = []
        var credentials: [DaVinciPage.CredentialQuestion] = []
        for collector in collectors {
            switch collector.input {
            case .poll(let request): poll = poll ?? request
            case .button(.departure(let address?)):
                departures.append(DaVinciPage.DepartureQuestion(id: collector.id, address: address))
            case .credential(let request):
                credentials.append(DaVinciPage.CredentialQuestion(id: collector.id, request: request))
            default: break
            }
        }
        self.collectors = collectors
        (self.poll, self.departures, self.credentials) = (poll, departures, credentials)
        // Parsed again they are written as they are, without a look at what they consist of.
        documents =
            isShared
            ? collectors.map { (try? JSONValue(parsing: $0.document.serialized()))?.object ?? $0.document } : nil
    }
}
