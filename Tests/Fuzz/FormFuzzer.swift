// Compiled by run.sh and linked with DaVinciClient, not by the package.

import JSON
import Orchestrate

@testable import DaVinciClient

/// One input: a page of DaVinci, or one with answers, `{"step": …, "answers": {…}, "action": …}`.
///
/// Whatever its fields are, the page can be shown; what is sent has keys of its fields alone, and nothing is sent of answers that
/// are refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let value = try? JSONValue(parsing: bytes), let step = (value["step"] ?? value).object else { return 0 }
    let page = DaVinciPage(step)
    checkShown(page)
    var answers = Answers(action: value["action"]?.string)
    for (id, answer) in value["answers"]?.object ?? [:] { answers.values[id] = answer }
    check(page, answers)
    check(page, Answers())
    // What the page itself says would be an answer, for each question alone and for all of them, with whatever is pressed.
    var all = Answers()
    for collector in page.collectors {
        check(page, Answers(action: collector.id))
        guard let schema = collector.answerSchema else { continue }
        let sample = sample(.object(schema), 0)
        all.values[collector.id] = sample
        check(page, Answers([collector.id: sample], action: collector.id))
    }
    check(page, all)
    return 0
}

private func checkShown(_ page: DaVinciPage) {
    precondition(Set(page.collectors.map(\.id)).count == page.collectors.count, "two of one id")
    let shown = JSONValue.object(page.document)
    guard let again = try? JSONValue(parsing: shown.serialized(), limits: roomy) else {
        preconditionFailure("unreadable")
    }
    precondition(again == shown)
    for collector in page.collectors {
        precondition("\(collector)" == "\(collector.type)(\(collector.id))")
        for name in ["src", "href"] {
            guard let address = collector.members[name]?.string else { continue }
            precondition(
                ["https:", "http:", "mailto:", "data:image/"].contains { address.lowercased().hasPrefix($0) }, address)
        }
    }
}

private func check(_ page: DaVinciPage, _ answers: Answers) {
    let problems = page.validate(answers)
    for form in DeviceValue.allCases {
        guard let request = try? page.request(answering: answers, deviceValue: form) else {
            precondition(!problems.isEmpty || page.url(.next) == nil, "nothing was wrong")
            continue
        }
        precondition(problems.isEmpty)
        guard let body = try? JSONValue(parsing: request.body, limits: roomy), let parameters = body["parameters"],
            let values = parameters["data"]?["formData"]?.object
        else { preconditionFailure("no step") }
        precondition(DaVinciInteraction.Event(rawValue: parameters["eventType"]?.string ?? "") != nil)
        precondition(body["eventName"]?.string?.isEmpty == false)
        // A poll without a key has the name that all polls have.
        let keys = Set(page.collectors.compactMap(\.field.key)).union(page.poll.map { [$0.key] } ?? [])
        precondition(values.names.allSatisfy { keys.contains($0) }, "a key that no field has")
        // After a refusal the page is the same, and holds no password.
        let kept = page.keeping(body)
        precondition(kept.collectors.map(\.id) == page.collectors.map(\.id))
        precondition(kept.collectors.map(\.type) == page.collectors.map(\.type))
        for collector in kept.collectors where collector.type == "PasswordCollector" {
            precondition(collector.members["value"] == nil)
        }
    }
}
