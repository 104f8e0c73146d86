public import JSON

/// What a flow shows: a page to be answered, or its end.
public struct Node: Sendable, Equatable {
    /// The product of the flow's client.
    public let kind: ClientKind
    /// The flow's id, `f_…`; nil for a flow that ended with its start.
    public let flow: String?
    /// What it shows.
    public let state: State

    /// What a flow shows.
    public enum State: Sendable, Equatable {
        /// A page to be answered, or to be answered again.
        case page(Page)
        /// The end without a sign-in: the stable reason, and the provider's own text for the user.
        case failure(reason: String, message: String?)
        /// The end with a sign-in; nil when no session was made.
        case success(User?)
    }

    /// A page to be answered.
    public struct Page: Sendable, Equatable {
        /// The step that is answered, from 1.
        public let step: Int
        /// Seconds until the flow ends.
        public let expiresIn: Int64
        /// Why the page is shown again: the provider's words on the last answers.
        public let refusal: Refusal?
        /// The members that the product gives it.
        public let members: JSONObject

        /// A page.
        public init(step: Int, expiresIn: Int64, refusal: Refusal?, members: JSONObject) {
            self.step = step
            self.expiresIn = expiresIn
            self.refusal = refusal
            self.members = members
        }
    }

    /// The provider's words on refused answers.
    public struct Refusal: Sendable, Equatable {
        /// A sentence for the user.
        public let message: String
        /// What it says of single answers.
        public let details: [JSONValue]

        /// Words on refused answers.
        public init(message: String, details: [JSONValue]) {
            self.message = message
            self.details = details
        }
    }

    /// What a flow shows.
    public init(kind: ClientKind, flow: String?, _ state: State) {
        self.kind = kind
        self.flow = flow
        self.state = state
    }
}
