internal import JSON

/// A flow with its parsed page.
///
/// The page is parsed once from the state; code that shows it, checks answers or continues the flow shares it.
public struct OpenFlow: Sendable {
    /// The state of the flow.
    public let state: FlowState
    /// The page; answer it once, because an answer closes its actions.
    public let page: ContinueNode

    /// Makes a flow whose page a step led to.
    public init(state: FlowState, page: ContinueNode) {
        self.state = state
        self.page = page
    }
}

/// Answers that were checked against their page, with the request that will carry them.
public struct AnsweredFlow: Sendable {
    /// The flow whose page is answered.
    public let flow: OpenFlow
    let answers: Answers
    let request: Request
}

extension Workflow {
    /// Parses the page of a flow; sends nothing to the provider.
    ///
    /// - Parameter flow: The state of the flow.
    /// - Returns: The flow with its page.
    /// - Throws: `.flowOver` without a page; `.configuration`, or the error of the product's module, for an unreadable
    ///   page.
    public func open(_ flow: FlowState) throws(EngineError) -> OpenFlow {
        guard let bytes = flow.page else { throw .flowOver }
        guard let input = try? JSONValue(parsing: bytes) else {
            throw .configuration("the page of the flow is not JSON")
        }
        do {
            return OpenFlow(state: flow, page: try handlers.restore?(input) ?? ContinueNode(input: input))
        } catch {
            throw EngineError(error, in: .request)
        }
    }

    /// Checks the answers to a page; nothing is sent.
    ///
    /// - Parameters:
    ///   - answers: What the user entered.
    ///   - flow: The flow at its page.
    /// - Returns: The answers, ready to be sent.
    /// - Throws: The error of the product's module about the answers, in the phase `request`.
    public func judge(_ answers: Answers, to flow: OpenFlow) throws(EngineError) -> AnsweredFlow {
        guard let answer = handlers.answer else {
            throw .configuration("no module registers an answer handler, so pages cannot be answered")
        }
        do {
            return AnsweredFlow(flow: flow, answers: answers, request: try answer(flow.page, answers))
        } catch {
            throw EngineError(error, in: .request)
        }
    }
}
