internal import Basics
package import Orchestrate

/// The result of judging answers by the engine and by the rules for credentials.
package enum EngineVerdict: Sendable {
    /// The answers fit the page.
    case right(AnsweredFlow)
    /// The answers cannot be sent, for at least one problem.
    case wrong([PageAnswerProblem])
    /// The page cannot be answered at all.
    case failed(EngineError)
}

extension Workflow {
    /// Reads a flow that was stored between two steps.
    package func open(_ position: FlowPosition) throws(FlowPositionError) -> OpenFlow {
        do { return try open(FlowState(decoding: position)) } catch { throw FlowPositionError() }
    }

    /// Judges answers to a page, first by the engine, then as credentials.
    ///
    /// `credentials` adds the problems with credentials to those that the page found.
    package func judge(
        _ answers: Answers, to flow: OpenFlow, besides credentials: ([PageAnswerProblem]) -> [PageAnswerProblem]
    ) -> EngineVerdict {
        do {
            let answered = try judge(answers, to: flow)
            let problems = credentials([])
            return problems.isEmpty ? .right(answered) : .wrong(problems)
        } catch .moduleFailed(_, let error as InvalidAnswersError) {
            return .wrong(credentials(error.problems.map { PageAnswerProblem($0) }))
        } catch {
            return .failed(error)
        }
    }
}

extension [PageAnswerProblem] {
    /// Adds problems of answers that have none so far, in the order of the page's questions; unknown ids come last.
    package func adding(_ own: [PageAnswerProblem], inOrderOf questions: [String]) -> [PageAnswerProblem] {
        let faulty = Set(map(\.id))
        let own = own.filter { !faulty.contains($0.id) }
        guard !own.isEmpty else { return self }
        let order = Dictionary(questions.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        return (self + own).enumerated().sorted { left, right in
            (order[left.element.id] ?? .max, left.offset) < (order[right.element.id] ?? .max, right.offset)
        }.map(\.element)
    }
}
