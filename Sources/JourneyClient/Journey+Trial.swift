internal import Basics
public import OpenIDConnect

extension Journey {
    /// Asks AM for a code as for a user, without a session: for those who check a registration before it serves.
    ///
    /// - Parameters:
    ///   - client: The OpenID client of a journey.
    ///   - deadline: Gives up at this instant.
    /// - Throws: As `OpenIDClient.tryAuthorization(deadline:answer:)`.
    public static func tryAuthorization(
        of client: OpenIDClient, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) {
        try await client.tryAuthorization(deadline: deadline) { authorization throws(OpenIDError) in
            try await AuthorizeCall(client, authorization, now: SystemTime().now(), deadline: deadline)
                .answerWithoutSession(deadline: deadline)
        }
    }
}
