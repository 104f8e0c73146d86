/// A redirect out of a flow: its address, and the `state` by which the user's return is recognised.
package struct Departure: Sendable, Equatable {
    /// The absolute address; the client has checked that browsers may be sent there.
    package var address: String
    /// The fields of the form that is posted to the address; nil for a link.
    package var form: [Field]?
    /// The `state` that the redirect back has to bring; nil where the page does not say.
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

    /// A redirect out of a flow to an address.
    package init(address: String, form: [Field]? = nil, state: String? = nil) {
        self.address = address
        self.form = form
        self.state = state
    }
}

/// The result of leaving a page by a handle.
package enum Leaving: Sendable, Equatable {
    /// The browser goes to the address, and gets the value of the cookie that identifies it when it comes back.
    case to(Departure, cookie: String)
    /// The handle is used, or belongs to no page that is shown now: the browser goes back to a path of the application.
    case expired(target: String)
}

/// The redirect of a browser that has come back: to a path of the application, which learns how to continue the flow.
package struct Arrival: Sendable, Equatable {
    /// The path on the public origin.
    package var target: String
    /// The handle that `resume` takes; nil where no departure waited.
    package var handle: String?
}
