/// The part of a request that says something about the device that its session is bound to.
package struct SentDeviceProof: Sendable {
    /// The value of the device cookie; nil if the browser sent none.
    package var cookie: String?
    /// True if the browser says that it could not get a new device cookie now.
    ///
    /// Any script can say so: it changes the kind of a refusal and nothing else.
    package var isSkipped = false

    /// The proof of a request; by default none.
    package init(cookie: String? = nil, isSkipped: Bool = false) {
        self.cookie = cookie
        self.isSkipped = isSkipped
    }
}
