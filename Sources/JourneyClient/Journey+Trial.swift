internal import Basics
public import OpenIDConnect

extension Journey {
    /// Asks AM for an authorization code without a session, to check a registration before it is used.
    ///
    /// - Parameters:
    ///   - client: The OpenID client of a journey.
    ///   - deadline: Gives up at this instant.
    /// - Throws: The errors of `OpenIDClient.tryAuthorization(deadline:answer:)`.
    public static func tryAuthorization(
        of client: OpenIDClient, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        try await client.tryAuthorization(deadline: deadline) { authorization throws(OpenIDError) in
            try await AuthorizeCall(client, authorization, now: SystemTime().now(), deadline: deadline)
                .answerWithoutSession(deadline: deadline)
        }
    }
}
