/// Something that a client should not send and that only this simulator objects to.
///
/// It is counted by its name, and otherwise ignored.
enum RequestWarning: String, CaseIterable, Sendable {
    /// A poll before the interval of its page is over; PingOne is not known to refuse it.
    case earlyPoll = "early-poll"
    /// Members of a journey's page that came back changed or not at all; AM ignores them.
    case pageChanged = "page-changed"
    /// Parameters next to `request_uri` that were not pushed with the same value; RFC 9101 section 6.3 ignores them.
    case parametersBesideRequestURI = "parameters-beside-request-uri"
    /// A step of a run that began with a session which is still alive, without that session; no one has observed how AM
    /// and PingOne answer.
    case sessionMissing = "session-missing"
    /// A poll for the status of a challenge with a token, without an interaction, or with members in its body.
    case status
    /// Members of a step that no SDK sends.
    case unknownMember = "unknown-member"
    /// Form data under a key that the page does not ask for.
    case unknownKey = "unknown-key"
    /// A value in the form of its field that is not one of the field's options.
    case valueNotOffered = "value-not-offered"
}
