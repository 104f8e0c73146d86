/// The life times of sessions and of replaced cookies.
package struct SessionTimes: Sendable {
    /// A signed-in session ends after this long without use.
    var idle: Duration
    /// A signed-in session ends after this long in any case.
    var absolute: Duration
    /// A session without a sign-in lives this long.
    var anonymous: Duration
    /// A replaced cookie can still read for this long.
    var supersededTicket: Duration
    /// A replaced cookie collects the response that carried the new one for this long.
    var replayTicket: Duration
    /// A device cookie lives this long; nil where sessions are not bound to devices.
    var deviceCookie: Duration?
    /// The pauses between retries of a write that the store did not take.
    var storeRetries: [Duration]

    /// Makes the life times of sessions and of replaced cookies.
    package init(
        idle: Duration, absolute: Duration, anonymous: Duration, supersededTicket: Duration, replayTicket: Duration,
        storeRetries: [Duration], deviceCookie: Duration? = nil
    ) {
        self.idle = idle
        self.absolute = absolute
        self.anonymous = anonymous
        self.supersededTicket = supersededTicket
        self.replayTicket = replayTicket
        self.storeRetries = storeRetries
        self.deviceCookie = deviceCookie
    }
}
