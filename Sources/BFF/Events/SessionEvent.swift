package import Sessions

/// One event of a stream that tells a page about its browser session; holds no token, cookie or id of the session.
package enum SessionEvent: Sendable, Equatable {
    /// The sign-ins as they are now; the first event of every stream.
    case state(EventState)
    /// An instance has signed in.
    case signedIn(InstanceName)
    /// An instance that was signed in has a newer sign-in, as after a step-up.
    case steppedUp(InstanceName)
    /// The access token of an instance was renewed; the seconds until it ends, nil if the provider did not say.
    case refreshed(InstanceName, tokenExpiresIn: Int64?)
    /// An instance is signed out; the reason is nil if it is unknown.
    case signedOut(InstanceName, EndReason?)
    /// The sign-in of an instance ends in so many seconds, by an idle timeout or by a maximum lifetime.
    case expiring(InstanceName, EndReason, seconds: Int64)
    /// Nothing has happened; keeps proxies from closing the connection.
    case beat
    /// The stream ends here; the last event of every stream that the server ends.
    case end(StreamEnd)
}

/// The sign-ins of a browser session at one instant.
package struct EventState: Sendable, Equatable {
    /// The instances that are signed in, in the order of the configuration.
    package let instances: [InstanceName]
    /// Seconds until the session's idle timeout.
    package let idle: Int64
    /// Seconds until the session ends regardless of use.
    package let absolute: Int64
    /// True if the client had seen exactly these sign-ins before it connected again.
    package let isUnchanged: Bool
}

/// The reason that the server ends a stream.
package enum StreamEnd: Sendable, Equatable {
    /// The session has ended; the reason is nil if it is unknown.
    case signedOut(EndReason?)
    /// A newer stream of the same session took the place of this one.
    case replaced
    /// A sign-in or a step-up gave the browser a new cookie; the stream of that cookie tells what it brought.
    case sessionChanged
    /// The stream has lived as long as a stream may.
    case time
    /// The server stops.
    case stopping
    /// The store cannot be asked now; the session is not over because of that.
    case unavailable
    /// The server has no place for the stream now.
    case busy
}

extension StreamEnd {
    /// The id of an end after which a client that connects again gets nothing; nil for other ends, which leave the
    /// client its id.
    package var eventID: String? {
        switch self {
        case .signedOut: "over"
        case .replaced: "replaced"
        case .sessionChanged, .time, .stopping, .unavailable, .busy: nil
        }
    }
}
