internal import JSON

/// A flow at its page, read once from its state: whatever shows the page, judges answers or goes on takes it as it is.
public struct OpenFlow: Sendable {
    /// Where the flow stands.
    public let state: FlowState
    /// Its page; answered once, because an answer closes the actions.
    public let page: ContinueNode

    /// A flow at the page that a step led to.
    public init(state: FlowState, page: ContinueNode) {
        self.state = state
        self.page = page
    }
}

/// Answers that fit their page, on the request that will carry them.
public struct AnsweredFlow: Sendable {
    /// The flow whose page they answer.
    public let flow: OpenFlow
    let answers: Answers
    let request: Request
}

extension Workflow {
    /// Reads the page of a flow; needs no provider.
    ///
    /// - Parameter flow: Where the flow stands.
    /// - Returns: The flow with its page.
    /// - Throws: `.flowOver` without a page; `.configuration`, or what the product's module throws, for one that is none.
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

    /// Judges the answers to a page; nothing is sent.
    ///
    /// - Parameters:
    ///   - answers: What the user entered.
    ///   - flow: The flow at its page.
    /// - Returns: The answers, ready to be sent.
    /// - Throws: What the product's module finds wrong with them, in the phase `request`.
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
