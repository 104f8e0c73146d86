/// An offer to bind a session to the device of its browser; it goes out with the cookie of the sign-in.
package struct DeviceOffer: Sendable, Equatable {
    /// The challenge that the device signs with its new key.
    package let challenge: String
    /// The first device cookie, which closes the gap between the sign-in and the registration.
    package let grant: DeviceGrant
}

/// A device cookie for the browser.
package struct DeviceGrant: Sendable, Equatable {
    /// The value of the cookie.
    package let cookie: String
    /// The life of the cookie.
    package let life: Duration
}

/// The answer to a proof of a device: the next device cookie, and the challenge for the proof after that.
package struct DeviceRenewal: Sendable, Equatable {
    /// The device cookie.
    package let grant: DeviceGrant
    /// The challenge of the next proof.
    package let challenge: String
}

/// The outcome of a registration.
package enum DeviceRegistration: Sendable, Equatable {
    /// The session is bound to the device.
    case bound(DeviceRenewal)
    /// The session is bound to another device.
    case alreadyBound
    /// The proof fails a check, its challenge is too old, or there is no sign-in to bind.
    case refused
}

/// The outcome of a proof of a bound session's device.
package enum DeviceRefresh: Sendable, Equatable {
    /// The browser gets its next device cookie.
    case renewed(DeviceRenewal)
    /// The device has to sign this challenge.
    case challenged(String)
    /// There is no such session any more: the browser forgets the binding.
    case ended
    /// The proof cannot be judged at this moment; the binding stays.
    case later
    /// The proof is of another key, or fails a check: the binding is over, and the session stays.
    case refused
}

/// The relation of a session to the device of its browser, as `session` tells it.
package enum DeviceState: String, Sendable, CaseIterable {
    /// The session is bound to the device, and the request proved it.
    case bound
    /// The session is not bound.
    case unbound
    /// The session is bound, and the request did not prove the device.
    case unproven
}
