internal import JSON

/// What a client sent back for a page, checked against the page.
struct JourneyAnswers: Sendable {
    /// The callbacks as they came back.
    let callbacks: [JSONObject]

    /// nil when a callback is missing, moved or of another type, or an input has another name.
    init?(_ step: JSONObject, to page: SimulatedPage) {
        guard let received = step["callbacks"]?.array, received.count == page.callbacks.count else { return nil }
        var callbacks: [JSONObject] = []
        for (sent, back) in zip(page.callbacks, received) {
            guard let back = back.object, back["type"] == sent["type"],
                Self.names(back["input"]) == Self.names(sent["input"])
            else { return nil }
            callbacks.append(back)
        }
        self.callbacks = callbacks
    }

    /// The value of an input: of the callback at a position, the first input or the one at `input`.
    func value(_ position: Int, input: Int = 0) -> JSONValue? {
        guard callbacks.indices.contains(position) else { return nil }
        return callbacks[position]["input"]?[input]?["value"]
    }

    func text(_ position: Int) -> String { value(position)?.string ?? "" }

    /// A chosen index; AM takes a number and a number in a string.
    func index(_ position: Int) -> Int64? {
        let value = value(position)
        return value?.int ?? value?.string.flatMap { Int64($0) }
    }

    private static func names(_ inputs: JSONValue?) -> [String] {
        inputs?.array?.map { $0["name"]?.string ?? "" } ?? []
    }
}
