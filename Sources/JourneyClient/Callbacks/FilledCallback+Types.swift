internal import Basics
internal import JSON

extension ValidatedInput {
    /// The bare value, or an object with `value` and `validateOnly`.
    func answer(_ filled: FilledInputs) -> JSONValue? {
        guard filled.isChanged, let value = filled.value(valueInput) else { return nil }
        guard let flag = validateOnlyInput else { return value }
        return ["value": value, "validateOnly": .bool(filled.value(flag)?.bool ?? false)]
    }
}

extension ValidatedCreateUsernameCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { validated.answer(filled) }
}

extension ValidatedCreatePasswordCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { validated.answer(filled) }
}

extension StringAttributeInputCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { attribute.validated.answer(filled) }
}

extension NumberAttributeInputCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { attribute.validated.answer(filled) }
}

extension BooleanAttributeInputCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { attribute.validated.answer(filled) }
}

extension KbaCreateCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? {
        filled.whole(["question": "question", "answer": "answer"], absent: "")
    }
}

extension IdPCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { filled.whole(["token": "token", "tokenType": "token_type"]) }
}

extension LanguageCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? {
        filled.whole(["language": "Language", "country": "Country"])
    }
}

extension DeviceBindingCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { filled.object(["clientError": "clientError"]) }
}

extension DeviceSigningVerifierCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { filled.object(["clientError": "clientError"]) }
}

extension PingOneProtectInitializeCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { ProtectInitialization.answer.answer(filled) }
}

extension PingOneProtectEvaluationCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? { ProtectEvaluation.answer.answer(filled) }
}

extension PingOneRecognizeCallback: FilledCallback {
    /// Older servers name the input of the id `keylessId`.
    func answer(filled: FilledInputs) -> JSONValue? {
        var answer = RecognizeRequest.recognition.answer(filled)?.object ?? [:]
        if let id = filled.changed("keylessId") { answer["recognizeId"] = id }
        return answer.isEmpty ? nil : .object(answer)
    }
}

extension ReCaptchaEnterpriseCallback: FilledCallback {
    /// The payload is JSON as text.
    func answer(filled: FilledInputs) -> JSONValue? {
        var answer =
            filled.object(["token": "token", "action": "action", "clientError": "clientError", "payload": "payload"])?
            .object ?? [:]
        if let text = answer["payload"]?.string { answer["payload"] = (try? JSONValue(parsing: text)) ?? .string(text) }
        return answer.isEmpty ? nil : .object(answer)
    }
}

extension DeviceProfileCallback: FilledCallback {
    /// The profile is JSON as text; a location that the user withheld is an empty object.
    func answer(filled: FilledInputs) -> JSONValue? {
        guard filled.isChanged, let value = filled.values.first else { return nil }
        guard let text = value.string, let sent = (try? JSONValue(parsing: text))?.object else { return value }
        var answer = JSONObject()
        for name in ["identifier", "metadata", "location"] {
            guard let part = sent[name], part.object?.isEmpty != true else { continue }
            answer[name] = part
        }
        return .object(answer)
    }
}

extension UnsupportedCallback: FilledCallback {
    func answer(filled: FilledInputs) -> JSONValue? {
        guard filled.isChanged else { return nil }
        var answer = JSONObject()
        for (input, value) in zip(raw.inputs, filled.values) { answer[input.name] = value }
        return .object(answer)
    }
}

extension MetadataCallback: FilledCallback {
    /// The answer is in the hidden values beside the callback.
    func answer(filled: FilledInputs) -> JSONValue? {
        if let webAuthn {
            return siblings.values.first.flatMap { filled.changed(siblingAt: $0, on: raw.page) }
                .flatMap { webAuthn.answer(ofOutcome: $0) }
        }
        var answer = JSONObject()
        for (name, position) in siblings where program?.members.contains(where: { $0.key == name }) == true {
            answer[name] = filled.changed(siblingAt: position, on: raw.page)
        }
        return answer.isEmpty ? nil : .object(answer)
    }
}

extension TextOutputCallback: FilledCallback {
    /// The answer to a WebAuthn request is in the callbacks beside it.
    func answer(filled: FilledInputs) -> JSONValue? {
        guard let webAuthn else { return nil }
        return filledSiblings.first.flatMap { filled.changed(siblingAt: $0, on: raw.page) }
            .flatMap { webAuthn.answer(ofOutcome: $0) }
    }
}

extension ProgramAnswer {
    /// The texts of the inputs that the program has filled; nil if it has filled none.
    ///
    /// An input belongs to the longest member that its name ends with.
    func answer(_ filled: FilledInputs) -> JSONValue? {
        var answer = JSONObject()
        for (name, _) in members { answer[name] = filled.changed(name) }
        return answer.isEmpty ? nil : .object(answer)
    }
}
