// Compiled by run.sh and linked with JourneyClient, not by the package.

import JSON
import JourneyClient
import Orchestrate

/// One input: a step of a journey, or one with answers, `{"step": …, "answers": {…}, "action": …}`.
///
/// What nobody answers goes back as it came; of what is answered only values of inputs are new, and only where they may be.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let value = try? JSONValue(parsing: bytes) else { return 0 }
    let step = value["step"] ?? value
    guard let page = try? JourneyPage(step) else {
        precondition(step.object == nil || step["callbacks"].map { $0.array == nil && !$0.isNull } == true)
        return 0
    }
    var answers = Answers(action: value["action"]?.string)
    for (id, answer) in value["answers"]?.object ?? [:] { answers.values[id] = answer }
    checkShape(page, step)
    checkEcho(page, step)
    check(page, step, answers)
    checkStages(page, step)
    // What the page itself says would be an answer, for each question alone and for all of them.
    var all = Answers()
    for question in page.questions {
        guard let answer = question.answer else { continue }
        let sample = sample(.object(answer), 0)
        all.values[question.id] = sample
        check(page, step, Answers([question.id: sample], action: question.id))
    }
    check(page, step, all)
    return 0
}

private func checkShape(_ page: JourneyPage, _ step: JSONValue) {
    precondition(page.callbacks.count == step["callbacks"]?.array?.count ?? 0)
    precondition(Set(page.callbacks.map(\.id)).count == page.callbacks.count, "two of one id")
    let shown = JSONValue.object(page.document(in: ["de-CH", "en"]))
    guard let again = try? JSONValue(parsing: shown.serialized(), limits: roomy) else {
        preconditionFailure("unreadable")
    }
    precondition(again == shown)
    precondition(again["callbacks"]?.array?.count == page.questions.count)
    for callback in page.callbacks { precondition("\(callback)" == "\(callback.raw.type)(\(callback.id))") }
}

private func checkEcho(_ page: JourneyPage, _ step: JSONValue) {
    guard let body = try? page.body(answering: Answers()) else { preconditionFailure("nothing was wrong") }
    precondition(JSONValue.object(body).serialized() == step.serialized(), "not as it came")
}

private func check(_ page: JourneyPage, _ step: JSONValue, _ answers: Answers) {
    let problems = page.validate(answers)
    guard let body = try? page.body(answering: answers) else { return precondition(!problems.isEmpty) }
    precondition(problems.isEmpty)
    precondition(
        withoutValues(.object(body)).serialized() == withoutValues(step).serialized(), "more than values is new")
    let sent = body["callbacks"]?.array ?? []
    let questions = Set(page.questions.map(\.id))
    precondition(answers.values.keys.allSatisfy { questions.contains($0) }, "a question that nobody saw was answered")
    let filled = Set(
        page.callbacks.filter { answers.values[$0.id] != nil }.flatMap { [$0.raw.index] + $0.filledSiblings })
    for (index, callback) in (step["callbacks"]?.array ?? []).enumerated() where !filled.contains(index) {
        precondition(callback.serialized() == sent[index].serialized(), "what nobody answered is new")
    }
    // What was sent is a page again, of the same questions.
    guard let again = try? JourneyPage(.object(body)) else { preconditionFailure("no page any more") }
    precondition(again.callbacks.map(\.id) == page.callbacks.map(\.id))
    precondition(again.callbacks.map(\.raw.type) == page.callbacks.map(\.raw.type))
}

private func checkStages(_ page: JourneyPage, _ step: JSONValue) {
    if let stage = step["stage"]?.string { precondition(page.stage == stage) }
    precondition(page.header == step["header"]?.string)
}

/// The step with every value of an input gone.
private func withoutValues(_ step: JSONValue) -> JSONValue {
    guard var object = step.object, let callbacks = object["callbacks"]?.array else { return step }
    object["callbacks"] = .array(
        callbacks.map { callback in
            guard var members = callback.object, let inputs = members["input"]?.array else { return callback }
            members["input"] = .array(
                inputs.map { input in
                    guard var entry = input.object else { return input }
                    // AM leaves out what has no value, and an answer adds it.
                    entry["value"] = nil
                    return .object(entry)
                })
            return .object(members)
        })
    return .object(object)
}
