internal import JSON

/// The answers that a client sent for a page, checked against the page.
struct JourneyAnswers: Sendable {
    /// The callbacks in the client's body.
    let callbacks: [JSONObject]
    /// True if all members that the page sent came back unchanged, number for number, except for the values of inputs.
    ///
    /// Additional members are ignored, as AM does: Ping's SDK for JavaScript adds `status` and `ok` of its fetch.
    let isEcho: Bool

    /// Reads the answers; nil if a callback is missing, moved or of another type, or an input has another name.
    init?(_ step: JSONObject, to page: SimulatedPage) {
        guard let received = step["callbacks"]?.array, received.count == page.callbacks.count else { return nil }
        var callbacks: [JSONObject] = []
        var echo = page.json(authID: step["authId"]?.string ?? "")
        for (sent, back) in zip(page.callbacks, received) {
            guard let back = back.object, back["type"] == sent["type"],
                Self.names(back["input"]) == Self.names(sent["input"])
            else { return nil }
            callbacks.append(back)
        }
        self.callbacks = callbacks
        echo["callbacks"] = .array(zip(page.callbacks, callbacks).map { .object(Self.filled($0, from: $1)) })
        isEcho = Self.has(.object(step), all: .object(echo))
    }

    /// True if a value has every member that another value has; additional members are ignored.
    private static func has(_ value: JSONValue?, all wanted: JSONValue) -> Bool {
        switch (value, wanted) {
        case (.object(let value)?, .object(let wanted)):
            return wanted.allSatisfy { has(value[$0.name], all: $0.value) }
        case (.array(let value)?, .array(let wanted)):
            return value.count == wanted.count && zip(value, wanted).allSatisfy { has($0, all: $1) }
        default: return value == wanted
        }
    }

    /// A callback of the page, with the values of its inputs replaced by the client's.
    private static func filled(_ sent: JSONObject, from back: JSONObject) -> JSONObject {
        guard let inputs = sent["input"]?.array else { return sent }
        var filled = sent
        filled["input"] = .array(
            inputs.indices.map { index in
                var input = inputs[index].object ?? [:]
                input["value"] = back["input"]?[index]?["value"]
                return .object(input)
            })
        return filled
    }

    /// The value of an input of the callback at a position: the first input, or the input at index `input`.
    func value(_ position: Int, input: Int = 0) -> JSONValue? {
        guard callbacks.indices.contains(position) else { return nil }
        return callbacks[position]["input"]?[input]?["value"]
    }

    /// The text of an input; empty if its value is no text or there is no such input.
    func text(_ position: Int, _ suffix: String = "") -> String { value(position, suffix)?.string ?? "" }

    /// The value of the input whose name ends with `suffix`, in the callback at a position.
    func value(_ position: Int, _ suffix: String) -> JSONValue? {
        guard callbacks.indices.contains(position) else { return nil }
        let name = JSONValue.string("IDToken\(position + 1)\(suffix)")
        return callbacks[position]["input"]?.array?.first { $0["name"] == name }?["value"]
    }

    /// A chosen index; AM accepts a number, and a number in a string.
    func index(_ position: Int) -> Int64? {
        let value = value(position)
        return value?.int ?? value?.string.flatMap { Int64($0) }
    }

    private static func names(_ inputs: JSONValue?) -> [String] {
        inputs?.array?.map { $0["name"]?.string ?? "" } ?? []
    }
}
