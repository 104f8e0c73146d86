package import JSON
package import Orchestrate

extension JourneyPage {
    /// Reads the answers out of the page as AM's protocol sends it back: the callbacks as received, with new values in
    /// their inputs.
    ///
    /// A question whose inputs have the values that the server sent has no answer, and goes back as received. Outputs
    /// are not read: AM gets its own.
    ///
    /// - Parameter page: The page, of which only `callbacks` is read.
    /// - Returns: The answers by question; `validate(_:)` judges them.
    /// - Throws: The problems of callbacks that are not those of this page.
    package func answers(filledIn page: JSONObject) throws(InvalidAnswersError) -> Answers {
        let sent = page["callbacks"]?.array ?? []
        // rule: a filled page has the callbacks of the page that is shown
        guard sent.count == callbacks.count else {
            throw Self.notThisPage("", "the page has another number of callbacks")
        }
        var values: [[JSONValue]] = []
        for (callback, json) in zip(callbacks, sent) {
            let inputs = RawCallback.inputs(of: json)
            // rule: a filled callback has the type and the inputs of its place
            guard (json["type"]?.string ?? "") == callback.type, inputs.map(\.name) == callback.raw.inputs.map(\.name)
            else { throw Self.notThisPage(callback.id, "the page has another callback in this place") }
            // An input without a value was not shown with one, so its program cannot have changed it.
            values.append(zip(inputs, callback.raw.inputs).map { $0.value.isNull ? $1.value : $0.value })
        }
        var answers: [String: JSONValue] = [:]
        for (place, callback) in callbacks.enumerated() where parts.form.isQuestion[place] {
            answers[callback.id] = callback.answer(in: FilledInputs(page: values, raw: callback.raw))
        }
        return Answers(answers)
    }

    private static func notThisPage(_ id: String, _ message: String) -> InvalidAnswersError {
        InvalidAnswersError([AnswerProblem(id: id, code: .notAnswerable, message: message)])
    }
}
