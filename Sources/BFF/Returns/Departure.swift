/// Where a page sends its user, and how they are known when they come back.
package struct Departure: Sendable, Equatable {
    /// The absolute address; its client has checked that browsers may be sent there.
    package var address: String
    /// The fields of the form that is posted there; nil for a link.
    package var form: [Field]?
    /// The `state` with which they come back; nil where the page does not say.
    package var state: String?

    /// One field of a form.
    package struct Field: Sendable, Equatable {
        /// The name of the field.
        package var name: String
        /// The value as it is, not escaped.
        package var value: String

        /// A field of a form.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A way out of a flow.
    package init(address: String, form: [Field]? = nil, state: String? = nil) {
        self.address = address
        self.form = form
        self.state = state
    }
}

/// What comes of leaving by a handle.
package enum Leaving: Sendable, Equatable {
    /// The browser goes there, and gets the value of the cookie by which it is known when it comes back.
    case to(Departure, cookie: String)
    /// The handle is used, or of no page that is shown now: the browser goes back to a path of the application.
    case expired(target: String)
}

/// Where a browser goes that has come back: to a path of the application, which learns how to go on.
package struct Arrival: Sendable, Equatable {
    /// The path on the public origin.
    package var target: String
    /// The handle that `resume` takes; nil where nobody was waited for.
    package var handle: String?
}
