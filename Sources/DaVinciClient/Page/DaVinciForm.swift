internal import JSON

/// The collectors of a page; its poll, departures and credential questions are found once, for frequent use.
///
/// Pages with the same form may share it, so it holds nothing of a flow.
final class DaVinciForm: Sendable {
    /// The collectors in the order of the form's fields.
    let collectors: [Collector]
    /// The poll of the page; nil for a page that is not polled.
    let poll: PollRequest?
    /// The buttons to other identity providers, even if the flow could not be resumed afterwards.
    let departures: [DaVinciPage.DepartureQuestion]
    /// The questions for credentials of the browser.
    let credentials: [DaVinciPage.CredentialQuestion]
    /// The questions as browsers see them, for a form that many pages share; nil where each page makes its own.
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
        // Parsing them again makes values that are written unchanged, without walking their members.
        documents =
            isShared
            ? collectors.map { (try? JSONValue(parsing: $0.document.serialized()))?.object ?? $0.document } : nil
    }
}
