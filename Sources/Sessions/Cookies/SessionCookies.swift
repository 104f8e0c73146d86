package import StorageKit

/// The session cookies of a request, and the time at which it began.
package struct SessionCookies: Sendable {
    /// The value of the session cookie; nil if the browser sent none.
    package let session: String?
    /// The value of the cookie of a session without a sign-in; it counts where the session cookie opens nothing.
    package let start: String?
    /// The browser's proof of its device.
    package let device: SentDeviceProof
    /// The instant at which the head of the request was read.
    package let began: ContinuousClock.Instant

    /// The cookies of one request.
    package init(
        session: String?, start: String?, device: SentDeviceProof = SentDeviceProof(), began: ContinuousClock.Instant
    ) {
        self.session = session
        self.start = start
        self.device = device
        self.began = began
    }

    /// The session that the first credential names, whether or not it exists.
    package var sessionKey: SessionKey? { credentials.first?.sessionKey }

    /// The credentials of the cookies, the session cookie first.
    var credentials: [SessionCredential] {
        [session, start].compactMap { $0.flatMap { SessionCredential(cookieValue: $0) } }
    }
}
