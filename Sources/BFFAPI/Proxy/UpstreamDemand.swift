internal import BFF
internal import Basics
internal import HTTPCore
internal import ResourceServer

/// The demand of an API's 401 or 403, or of a policy agent's redirect.
enum UpstreamDemand: Sendable {
    /// A stronger or more recent authentication (RFC 9470), or the advice of a policy agent.
    case stepUp(ReceivedChallenge)
    /// A further scope (RFC 6750 section 3.1).
    case scope(ReceivedChallenge)
    /// Another token: the API calls this one invalid.
    case invalidToken
    /// A demand that the server cannot meet; a 403 may be passed on.
    case other

    /// Reads a response; nil if the response demands nothing of the token.
    ///
    /// `redirect` reads the location of a redirect.
    init?(_ response: ClientResponse, redirect: (String) -> ReceivedChallenge?) {
        if [302, 303, 307].contains(response.status) {
            let location = response.fields[values: .location]
            guard location.count == 1, let advice = redirect(location[0]) else { return nil }
            self = .stepUp(advice)
            return
        }
        guard response.status == 401 || response.status == 403 else { return nil }
        let challenges = ReceivedChallenge.parse(response.fields[values: .wwwAuthenticate]).prefix(16)
        if let challenge = challenges.first(where: Self.asksForStrength) {
            self = .stepUp(challenge)
        } else if response.status == 403 {
            self = challenges.first { $0.isError("insufficient_scope") }.map(Self.scope) ?? .other
        } else if challenges.contains(where: { $0.isError("invalid_token") }) {
            self = .invalidToken
        } else {
            self = .other
        }
    }

    private static func asksForStrength(_ challenge: ReceivedChallenge) -> Bool {
        challenge.isError("insufficient_user_authentication") || challenge.advices != nil
    }
}

extension ReceivedChallenge {
    fileprivate func isError(_ name: String) -> Bool { error?.isSameText(as: name) ?? false }
}
