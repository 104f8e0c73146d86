internal import Basics
public import JSON

/// The result of a step.
public enum Node: Sendable {
    /// More input is wanted.
    case `continue`(ContinueNode)
    /// The provider refused the step in a way it explained.
    case error(ErrorNode)
    /// Anything unexpected: transport, 5xx, a body that is not JSON, a handler that threw.
    case failure(FailureNode)
    /// The flow has come to a good end.
    case success(SuccessNode)

    /// The provider's answer as received, complete; nil for a failure, which need not have one.
    ///
    /// It may hold one-time keys and the session's token: no browser gets it, and no log.
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
    /// The step as received, complete.
    public let input: JSONValue
    /// The same page as its product has made it, so that nobody makes it again; nil when there are only actions.
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

    /// Makes a page of what its product has made of it.
    package init(input: JSONValue, made: any ProductPage) {
        self.input = input
        given = []
        self.made = made
    }

    /// The actions that may have to be closed, or change the request.
    var actingActions: [any Action] { made?.hasPlainActions ?? false ? [] : actions }

    /// Closes each closeable action, in order.
    public func close() {
        for action in actingActions { (action as? any CloseableAction)?.close() }
    }
}

/// A page in the form of its product, which its node carries along.
package protocol ProductPage: AnyObject, Sendable {
    /// The questions in page order.
    var actions: [any Action] { get }
    /// Whether none of them is a `CloseableAction` or a `RequestInterceptor`.
    var hasPlainActions: Bool { get }
}

/// A refusal that the provider explained.
public struct ErrorNode: Sendable {
    /// The HTTP status of the answer.
    public var status: Int
    /// The body as received; shown to users only in the parts that a product knows.
    public var input: JSONValue
    /// The provider's message for display; empty when it sent none.
    public var message: String
    /// The page, when it can be answered again; nil when the flow is over.
    public var page: ContinueNode?

    /// Makes a refusal.
    public init(status: Int, input: JSONValue, message: String = "", page: ContinueNode? = nil) {
        self.status = status
        self.input = input
        self.message = message
        self.page = page
    }
}

/// A step that has no proper outcome.
public struct FailureNode: Sendable {
    /// Why the step has no proper outcome.
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
    /// What the provider handed out.
    public var session: any Session

    /// The end of a flow.
    public init(input: JSONValue, session: any Session = EmptySession()) {
        self.input = input
        self.session = session
    }

    /// Whether the flow gave a session; without one nobody is signed in.
    public var isSignedIn: Bool { !session.value.reveal().isEmpty }
}

// Pages carry one-time keys, successes carry session tokens: none of them is ever printed.

extension ContinueNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The ids of the actions.
    public var description: String { "ContinueNode(\(actions.map(\.id).joined(separator: ", ")))" }
    /// The ids of the actions.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ErrorNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints the status alone; what the provider said may be secret.
    public var description: String { "ErrorNode(\(status))" }
    /// Prints the status alone; what the provider said may be secret.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SuccessNode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether somebody is signed in.
    public var description: String { "SuccessNode(signedIn: \(isSignedIn))" }
    /// Whether somebody is signed in.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
