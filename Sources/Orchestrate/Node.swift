internal import Basics
public import JSON

/// The result of a step.
public enum Node: Sendable {
    /// The provider asks for more input.
    case `continue`(ContinueNode)
    /// The provider refused the step in a way it explained.
    case error(ErrorNode)
    /// Any unexpected outcome: a transport error, a 5xx, a body that is not JSON, a handler that threw.
    case failure(FailureNode)
    /// The flow ended well.
    case success(SuccessNode)

    /// The provider's complete answer, as received; nil for a failure, which may have none.
    ///
    /// It may hold one-time keys and the session token: never send it to a browser or a log.
    public var input: JSONValue? {
        switch self {
        case .continue(let page): page.input
        case .error(let refusal): refusal.input
        case .success(let success): success.input
        case .failure: nil
        }
    }
}

/// A page of questions.
public struct ContinueNode: Sendable {
    /// The complete step, as received.
    public let input: JSONValue
    /// The page as its product parsed it, kept so that it is parsed once; nil when the node has only actions.
    package let made: (any ProductPage)?
    private let given: [any Action]

    /// The questions in page order, typed by the product.
    public var actions: [any Action] { made?.actions ?? given }

    /// Makes a page.
    public init(input: JSONValue, actions: [any Action] = []) {
        self.input = input
        given = actions
        made = nil
    }

    /// Makes a page from its product's parsed form.
    package init(input: JSONValue, made: any ProductPage) {
        self.input = input
        given = []
        self.made = made
    }

    /// The actions that may need to be closed or may change the request; empty if the product says there are none.
    var actingActions: [any Action] { made?.hasPlainActions ?? false ? [] : actions }

    /// Closes each closeable action, in order.
    public func close() {
        for action in actingActions { (action as? any CloseableAction)?.close() }
    }
}

/// A page parsed by its product, carried along in its node.
package protocol ProductPage: AnyObject, Sendable {
    /// The questions in page order.
    var actions: [any Action] { get }
    /// True if no question is a `CloseableAction` or a `RequestInterceptor`.
    var hasPlainActions: Bool { get }
}

/// A refusal that the provider explained.
public struct ErrorNode: Sendable {
    /// The HTTP status of the answer.
    public var status: Int
    /// The body as received; users see only the parts that a product knows.
    public var input: JSONValue
    /// The provider's message for display; empty when it sent none.
    public var message: String
    /// The page, if it can be answered again; nil when the flow is over.
    public var page: ContinueNode?

    /// Makes a refusal.
    public init(status: Int, input: JSONValue, message: String = "", page: ContinueNode? = nil) {
        self.status = status
        self.input = input
        self.message = message
        self.page = page
    }
}

/// A step that has no regular outcome.
public struct FailureNode: Sendable {
    /// Why the step has no regular outcome.
    public var cause: EngineError

    /// Makes a failure.
    public init(_ cause: EngineError) {
        self.cause = cause
    }
}

/// The end of a flow.
public struct SuccessNode: Sendable {
    /// The body as received; it may carry the session token.
    public var input: JSONValue
    /// The session that the provider created.
    public var session: any Session

    /// Makes the end of a flow.
    public init(input: JSONValue, session: any Session = EmptySession()) {
        self.input = input
        self.session = session
    }

    /// True if the flow created a session; without a session the user is not signed in.
    public var isSignedIn: Bool { !session.value.reveal().isEmpty }
}

// Pages hold one-time keys and successes hold session tokens, so no node prints its contents.

extension ContinueNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ids of the actions.
    public var description: String { "ContinueNode(\(actions.map(\.id).joined(separator: ", ")))" }
    /// The ids of the actions.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the node prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ErrorNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints the status alone; the provider's body may hold secrets.
    public var description: String { "ErrorNode(\(status))" }
    /// Prints the status alone; the provider's body may hold secrets.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the node prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SuccessNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows if the user is signed in.
    public var description: String { "SuccessNode(signedIn: \(isSignedIn))" }
    /// Shows if the user is signed in.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the node prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
