internal import JSON

/// A page of callbacks in AM's form.
struct SimulatedPage: Sendable {
    /// The callbacks in order.
    private(set) var callbacks: [JSONObject] = []
    var stage: String?
    var header: String?
    var description: String?
    /// The cookies that the response sets.
    var cookies: [String] = []

    init(stage: String? = nil, header: String? = nil, description: String? = nil) {
        self.stage = stage
        self.header = header
        self.description = description
    }

    /// Adds a callback.
    ///
    /// Input names contain the callback's position, as in AM; a suffix tells several inputs of one callback apart.
    mutating func add(_ type: String, _ output: JSONObject, input: JSONObject = [:], extra: JSONObject = [:]) {
        let name = "IDToken\(callbacks.count + 1)"
        var callback: JSONObject = [
            "type": .string(type), "output": .array(output.map { Self.entry($0.name, $0.value) }),
        ]
        if !input.isEmpty {
            callback["input"] = .array(input.map { Self.entry(name + $0.name, $0.value) })
        }
        callback["_id"] = JSONValue(Int64(callbacks.count))
        for (name, value) in extra { callback[name] = value }
        callbacks.append(callback)
    }

    /// The body of the response that shows the page.
    func json(authID: String) -> JSONObject {
        var json: JSONObject = ["authId": .string(authID), "callbacks": .array(callbacks.map { .object($0) })]
        json["stage"] = stage.map { .string($0) }
        json["header"] = header.map { .string($0) }
        json["description"] = description.map { .string($0) }
        return json
    }

    private static func entry(_ name: String, _ value: JSONValue) -> JSONValue {
        ["name": .string(name), "value": value]
    }
}

extension SimulatedPage {
    mutating func addName(_ prompt: String = "User Name") {
        add("NameCallback", ["prompt": .string(prompt)], input: ["": ""])
    }

    mutating func addPassword(_ prompt: String = "Password") {
        add("PasswordCallback", ["prompt": .string(prompt)], input: ["": ""])
    }

    mutating func addText(_ message: String, type: String = "0") {
        add("TextOutputCallback", ["message": .string(message), "messageType": .string(type)])
    }

    mutating func addConfirmation(_ options: [String], chosen: Int64, standard: Int64 = 0) {
        add(
            "ConfirmationCallback",
            [
                "prompt": "", "messageType": 0, "options": .array(options.map { .string($0) }), "optionType": -1,
                "defaultOption": JSONValue(standard),
            ], input: ["": JSONValue(chosen)])
    }

    /// Adds a field for SDKs to fill in; its initial value is its id.
    mutating func addHidden(_ id: String, _ value: String = "") {
        add("HiddenValueCallback", ["value": .string(value), "id": .string(id)], input: ["": .string(id)])
    }
}
