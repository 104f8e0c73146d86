import JSON

/// How a person of the tests answers pages: by the type of each question.
struct PageAnswers: Sendable {
    let user: String
    let password: String
    var code: String?
    /// The index that a choice or confirmation gets; what it is preset to unless said.
    var choice: Int64?
    /// Values of questions by their prompt, before everything else.
    var byPrompt: [String: String] = [:]

    /// The answer to one question; nil leaves it as it came.
    func value(type: String, prompt: String) -> JSONValue? {
        if let own = byPrompt[prompt] { return .string(own) }
        switch type {
        case "NameCallback": return .string(user)
        case "PasswordCallback": return .string(prompt.hasPrefix("One Time") ? code ?? "" : password)
        case "ConfirmationCallback", "ChoiceCallback": return choice.map { .init($0) }
        default: return nil
        }
    }

    /// The values that `next` takes for a page of the server.
    func values(of page: Wire.Answer) -> JSONValue {
        var values = JSONObject()
        for callback in page["callbacks"]?.array ?? [] {
            guard let id = callback["id"]?.string, let type = callback["type"]?.string,
                let value = value(type: type, prompt: callback["prompt"]?.string ?? "")
            else { continue }
            values[id] = value
        }
        return .object(values)
    }

    /// A page of AM itself with the answers in it.
    func written(into page: JSONValue) -> JSONValue {
        let callbacks = (page["callbacks"]?.array ?? []).map { callback -> JSONValue in
            let prompt = callback["output"]?.array?.first { $0["name"]?.string == "prompt" }?["value"]?.string ?? ""
            guard let type = callback["type"]?.string, let value = value(type: type, prompt: prompt),
                let input = callback["input"]?[0]
            else { return callback }
            return callback.setting("input", [input.setting("value", value)])
        }
        return page.setting("callbacks", .array(callbacks))
    }
}
