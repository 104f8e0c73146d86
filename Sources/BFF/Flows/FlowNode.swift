package import JSON

/// What a flow shows, with what becomes of the cookie.
package typealias FlowReply = Reply<FlowNode>

/// What a flow shows: a page to be answered, or its end.
package struct FlowNode: Sendable, Equatable {
    /// The product of the flow's client.
    package let kind: ClientKind
    /// The flow's id, `f_…`; nil for a flow that ended with its start.
    package let flow: String?
    /// What it shows.
    package let state: State
    /// True if it is the end of a flow that began with a link for which no flow of this browser waited.
    package var isCrossBrowser = false

    /// What a flow shows.
    package enum State: Sendable, Equatable {
        /// A page to be answered, or to be answered again.
        case page(Page)
        /// The end without a sign-in: the stable reason, the provider's own text for the user, and what else it says.
        case failure(reason: String, message: String?, more: FailureDetails = FailureDetails())
        /// The end with a sign-in; nil when no session was made.
        case success(User?)
    }

    /// A page to be answered.
    package struct Page: Sendable, Equatable {
        /// The step that is answered, from 1.
        package let step: Int
        /// Seconds until the flow ends.
        package let expiresIn: Int64
        /// What the flow steps up for: the name of a requirement; nil for a flow that is no step-up.
        package let purpose: String?
        /// Why the page is shown again: the provider's words on the last answers.
        package let refusal: Refusal?
        /// True if it goes on with a link for which no flow of this browser waited.
        package let isCrossBrowser: Bool
        /// What the client shows, with what the server adds.
        package let shown: ShownPage
    }

    /// The provider's words on refused answers.
    package struct Refusal: Sendable, Equatable {
        /// A sentence for the user.
        package let message: String
        /// What it says of single answers.
        package let details: [JSONValue]
    }

    /// The time until the provider may be asked again; nil for anything but a page that waits for that.
    package var nextPollIn: Duration? {
        if case .page(let page) = state { page.shown.questions.lazy.compactMap(\.nextPollIn).first } else { nil }
    }

    /// What a flow shows.
    package init(kind: ClientKind, flow: String?, _ state: State) {
        self.kind = kind
        self.flow = flow
        self.state = state
    }
}
