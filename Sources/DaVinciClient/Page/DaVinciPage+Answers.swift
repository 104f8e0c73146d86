internal import HTTPCore
internal import JSON
public import Orchestrate

/// The user's interaction with a page.
struct DaVinciInteraction {
    /// The event type that is sent to PingOne.
    enum Event: String { case submit, action, polling }

    let event: Event
    /// The key of the pressed button; empty without one.
    var key = ""
}

extension DaVinciPage {
    /// The problems of answers; empty when they can be sent.
    public func validate(_ answers: Answers) -> [AnswerProblem] { problems(in: answers, interaction(answers)) }

    private func problems(
        in answers: Answers, _ interaction: Result<DaVinciInteraction, RefusedError>
    ) -> [AnswerProblem] {
        let isChecked: Bool
        var pressed: AnswerProblem?
        switch interaction {
        case .success(let interaction): isChecked = interaction.event == .submit
        case .failure(let refused):
            isChecked = false
            pressed = refused.problem
        }
        var problems: [AnswerProblem] = []
        var answered = 0
        for collector in collectors {
            let answer = answers.values[collector.id]
            if answer != nil { answered += 1 }
            let input = collector.input
            var refusals = answer.flatMap { input.refusal(of: $0) }?.all ?? []
            if refusals.isEmpty, isChecked, input.takesAnswer {
                refusals = input.refusals(of: answer, isRequired: collector.field.isRequired)
            }
            problems += refusals.map { AnswerProblem(id: collector.id, code: $0.code, message: $0.message) }
            if let found = pressed, found.id == collector.id {
                problems.append(found)
                pressed = nil
            }
        }
        // rule: answers are to questions of the page of DaVinci
        if answered < answers.values.count {
            let known = Set(collectors.map(\.id))
            for id in answers.values.keys.filter({ !known.contains($0) }).sorted() {
                problems.append(AnswerProblem(id: id, code: .unknownQuestion, message: "the page has no such question"))
            }
        }
        return problems + [pressed].compactMap(\.self)
    }

    /// The problem of an action that cannot be performed.
    struct RefusedError: Error {
        let problem: AnswerProblem

        init(_ id: String, _ code: AnswerProblem.Code, _ message: String) {
            problem = AnswerProblem(id: id, code: code, message: message)
        }
    }

    /// The interaction that answers stand for.
    func interaction(_ answers: Answers) -> Result<DaVinciInteraction, RefusedError> {
        let pressed = collectors.first { $0.id == answers.action }
        // rule: an action is one of the page of DaVinci
        if let action = answers.action, pressed == nil {
            return .failure(RefusedError(action, .unknownAction, "the page has no such action"))
        }
        // A credential that the browser could not provide takes a branch of its own, unless the user leaves by a
        // button.
        // rule: a way out wins over a credential that failed | credentialQuestions
        let asked = pressed?.isWayOut ?? false ? [] : credentialQuestions
        if let name = asked.compactMap({ FidoRequest.errorName(of: answers.values[$0.id]) }).first {
            return .success(DaVinciInteraction(event: .action, key: name))
        }
        guard let pressed else {
            let submits = collectors.filter { $0.isSubmit }
            // rule: of several buttons one is named
            if submits.count > 1 {
                return .failure(
                    RefusedError(submits[0].id, .required, "the page has several buttons; action names one"))
            }
            if submits.isEmpty, let alone = collectors.first(where: { $0.isSelfSending }) {
                return press(alone, answers)
            }
            if let submit = submits.first, let program = collectors.first(where: { $0.isMetadata }) {
                return send(program, by: submit, answers)
            }
            return .success(DaVinciInteraction(event: .submit, key: submits.first?.field.key ?? ""))
        }
        return press(pressed, answers)
    }

    /// Sends the answer of a vendor's program as an action, under the key of the page's submit button.
    ///
    /// Ping's SDK for JavaScript does so from version 2.2 where the application names no action.
    private func send(
        _ program: Collector, by submit: Collector, _ answers: Answers
    ) -> Result<DaVinciInteraction, RefusedError> {
        guard program.input.value(answers.values[program.id]) != nil else {
            return .failure(RefusedError(program.id, .required, "an answer is missing"))
        }
        return .success(DaVinciInteraction(event: .action, key: submit.field.key ?? ""))
    }

    private func press(_ collector: Collector, _ answers: Answers) -> Result<DaVinciInteraction, RefusedError> {
        let submit = collectors.first { $0.isSubmit }?.field.key ?? ""
        switch collector.input {
        case .deviceType, .device, .recognize, .metadata:
            guard collector.input.value(answers.values[collector.id]) == nil else { break }
            return .failure(RefusedError(collector.id, .required, "an answer is missing"))
        default: break
        }
        switch collector.input {
        case .button(.submit):
            return .success(DaVinciInteraction(event: .submit, key: collector.field.key ?? ""))
        case .button(.action):
            return .success(DaVinciInteraction(event: .action, key: collector.field.key ?? ""))
        case .button(.departure(nil)):
            return .failure(RefusedError(collector.id, .notOffered, "the button leads nowhere now"))
        case .button(.departure):
            return .failure(RefusedError(collector.id, .notAnswerable, "the user has to leave and to come back"))
        case .poll: return .success(DaVinciInteraction(event: .polling))
        case .deviceType, .device: return .success(DaVinciInteraction(event: .submit))
        case .credential, .recognize: return .success(DaVinciInteraction(event: .submit, key: submit))
        case .metadata:
            return .success(DaVinciInteraction(event: .action, key: collector.field.key ?? ""))
        default: return .failure(RefusedError(collector.id, .unknownAction, "the question is no action"))
        }
    }

    /// The request that sends answers to the page.
    ///
    /// - Parameters:
    ///   - answers: The answers.
    ///   - deviceValue: The form in which a chosen device is sent.
    /// - Returns: The request to the page's `next` address. For a page that waits for a challenge it carries the status
    ///   of a challenge that is not answered.
    /// - Throws: `InvalidAnswersError` for wrong answers, or `EngineError.configuration` for a page without address.
    func request(answering answers: Answers, deviceValue: DeviceValue) throws -> Request {
        let interaction = interaction(answers)
        let problems = problems(in: answers, interaction)
        // rule: answers that are wrong are not sent to DaVinci
        guard problems.isEmpty, case .success(let interaction) = interaction else {
            throw InvalidAnswersError(problems)
        }
        guard let next = url(.next) else { throw EngineError.configuration("the page has no next link") }
        var data = JSONObject()
        var form = JSONObject()
        var hasDevice = false
        // Two fields may have one key: what the user gave counts, and not the value that the other one was filled with.
        var answered: Set<[UInt8]> = []
        for collector in collectors {
            var key = collector.field.key
            if case .poll(let poll) = collector.input { key = poll.key }
            guard let key else { continue }
            var value = collector.input.value(answers.values[collector.id])
            switch collector.input {
            case .device, .deviceType: hasDevice = hasDevice || value != nil
            case .poll(let poll): value = interaction.event == .polling ? .string(ownStatus(of: poll)) : nil
            default: break
            }
            if deviceValue == .native, case .device = collector.input { value = value.map { Self.native($0) } }
            let isGiven = answers.values[collector.id] != nil
            // rule: a field that was left alone writes over no answer
            guard isGiven || !answered.contains(Array(key.utf8)) else { continue }
            if isGiven { answered.insert(Array(key.utf8)) }
            if isGiven || value != nil { form[key] = value }
        }
        // Ping's mobile SDKs send no button with a device.
        if deviceValue == .web || !hasDevice || !interaction.key.isEmpty {
            data["actionKey"] = .string(interaction.key)
        }
        data["formData"] = .object(form)
        var request = Request(next)
        var body = JSONObject()
        body["id"] = step["id"]
        body["eventName"] = step["eventName"]?.string.flatMap { $0.isEmpty ? nil : .string($0) } ?? "continue"
        body["interactionId"] = step["interactionId"]
        body["parameters"] = ["eventType": .string(interaction.event.rawValue), "data": .object(data)]
        request.body(.object(body))
        for name in ["interactionId", "interactionToken"] {
            if let value = step[name]?.string { request.setHeader(name: name, value: value) }
        }
        return request
    }

    /// The status that a poll sends by itself; `error` for a challenge whose status cannot be asked for.
    private func ownStatus(of poll: PollRequest) -> String {
        poll.mode == .challenge && challengeStatus == nil ? "error" : poll.ownStatus
    }

    private static func native(_ device: JSONValue) -> JSONValue {
        ["type": device["type"] ?? "", "id": device["id"] ?? "", "description": device["value"] ?? ""]
    }
}

/// The form in which a chosen device is sent.
public enum DeviceValue: String, Sendable, CaseIterable {
    /// `{type, id, value}` and an empty `actionKey`, like Ping's SDK for JavaScript.
    case web
    /// `{type, id, description}` without `actionKey`, like Ping's mobile SDKs.
    case native
}

extension Collector {
    fileprivate var isSubmit: Bool { if case .button(.submit) = input { true } else { false } }

    fileprivate var isMetadata: Bool { if case .metadata = input { true } else { false } }

    fileprivate var isWayOut: Bool { if case .button(let kind) = input { kind != .submit } else { false } }

    /// True if an answer to this collector sends a page without a submit button.
    fileprivate var isSelfSending: Bool {
        switch input {
        case .metadata, .poll, .device, .deviceType, .credential, .recognize: true
        default: false
        }
    }
}
