package import JSON

/// A flow's node, with the change to the browser's cookie.
package typealias FlowReply = Reply<FlowNode>

/// The state that a flow shows: a page to be answered, or the flow's end.
package struct FlowNode: Sendable, Equatable {
    /// The product of the flow's client.
    package let kind: ProductName
    /// The flow's id, `f_…`; nil for a flow that ended with its start.
    package let flow: String?
    /// The page, failure or success that the flow shows.
    package let state: State
    /// True for the success of a flow that began with a link for which no flow of this browser waited.
    package var isCrossBrowser = false

    /// The states that a flow shows: a page, or one of two ends.
    package enum State: Sendable, Equatable {
        /// A page to be answered, or to be answered again.
        case page(Page)
        /// The end without a sign-in: the stable reason, the provider's own text for the user, and further details.
        case failure(reason: String, message: String?, more: FailureDetails = FailureDetails())
        /// The end with a sign-in; nil when no session was made.
        case success(User?)
    }

    /// A page to be answered.
    package struct Page: Sendable, Equatable {
        /// The step that is answered, from 1.
        package let step: Int
        /// Seconds until the flow ends.
        package var expiresIn: Int64
        /// The purpose of the step-up, see `StepUpGoal.purpose`; nil for a flow that is no step-up.
        package let purpose: String?
        /// Why the page is shown again: the provider's words on the last answers.
        package let refusal: Refusal?
        /// True if the flow began with a link for which no flow of this browser waited.
        package let isCrossBrowser: Bool
        /// The page as the client shows it, with the members that the server adds.
        package var shown: ShownPage
        /// The page in the provider's own form, see `OpenedFlow.providerPage`; nil for a client that does not show it.
        package var providerPage: JSONObject? = nil
    }

    /// The provider's words on refused answers.
    package struct Refusal: Sendable, Equatable {
        /// A sentence for the user.
        package let message: String
        /// Details on single answers.
        package let details: [JSONValue]
    }

    /// The time until the provider may be polled again; nil for a state that is no page, and for a page that does not
    /// poll.
    package var nextPollIn: Duration? {
        if case .page(let page) = state { page.shown.questions.lazy.compactMap(\.nextPollIn).first } else { nil }
    }

    /// Makes the node of a flow; a flow that ended with its start has no id.
    package init(kind: ProductName, flow: String?, _ state: State) {
        self.kind = kind
        self.flow = flow
        self.state = state
    }
}
