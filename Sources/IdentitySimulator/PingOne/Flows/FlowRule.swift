/// A rule of PingOne's flows; a request that breaks it is refused, and counted by the name of the rule.
enum FlowRule: String, CaseIterable, Sendable {
    case authorizationWithInteraction = "authorization-with-interaction"
    case body
    case continueToken = "continue-token"
    case cookies
    case credential
    case endedFlow = "ended-flow"
    case event
    case eventName = "event-name"
    case identityProviderLink = "identity-provider-link"
    case interactionID = "interaction-id"
    case interactionToken = "interaction-token"
    case link
    case nestedKey = "nested-key"
    case nodeID = "node-id"
    case requestedWith = "x-requested-with"
    case resume
    case value

    /// The source of the rule: a section of a document of the project, or of a standard.
    var source: String {
        switch self {
        case .authorizationWithInteraction, .cookies, .endedFlow, .eventName, .interactionID, .interactionToken, .link,
            .nestedKey, .nodeID, .requestedWith, .resume, .body:
            "docs/protocol.md, 'DaVinci'"
        case .continueToken, .identityProviderLink: "docs/davinci.md, 'Social sign-on'"
        case .credential: "docs/davinci.md, 'Passkeys'"
        case .event, .value: "docs/davinci.md, 'Questions'"
        }
    }
}
