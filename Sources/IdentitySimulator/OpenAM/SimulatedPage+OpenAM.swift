internal import JSON

extension SimulatedPage {
    /// The response body: no `_id`; beside the callbacks a template, a stage with its number, and lines of text.
    func openAMJSON(authID: String, number: Int) -> JSONObject {
        let callbacks = callbacks.map { callback -> JSONValue in
            var callback = callback
            callback["_id"] = nil
            return .object(callback)
        }
        return [
            "authId": .string(authID), "template": "", "stage": .string("\(stage ?? "Scripted")\(number)"),
            "header": .string(header ?? "Sign in to OpenAM"), "infoText": .array(callbacks.map { _ in "" }),
            "callbacks": .array(callbacks),
        ]
    }
}
