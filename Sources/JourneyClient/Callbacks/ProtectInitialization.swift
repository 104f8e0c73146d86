internal import JSON
internal import Orchestrate

/// How the program of PingOne Protect begins to collect signals; the same as a callback and as metadata.
struct ProtectInitialization {
    /// What the program takes.
    static let answer = ProgramAnswer(members: ["clientError": AnswerCheck.longestText])

    /// Every option, with its default where the server says nothing usable.
    let document: JSONObject

    /// Reads the options.
    ///
    /// - Parameter value: The value of an option; nil or null when there is none.
    init(_ value: (String) -> JSONValue?) {
        func flag(_ name: String, default usual: Bool = false) -> JSONValue { .bool(value(name)?.bool ?? usual) }
        var document: JSONObject = [
            "envId": .string(value("envId")?.string ?? ""), "consoleLogEnabled": flag("consoleLogEnabled"),
            "deviceAttributesToIgnore": .array(
                (value("deviceAttributesToIgnore")?.array ?? []).filter { $0.string != nil }),
            "customHost": .string(value("customHost")?.string ?? ""), "lazyMetadata": flag("lazyMetadata"),
            "behavioralDataCollection": flag("behavioralDataCollection", default: true),
            "deviceKeyRsyncIntervals": JSONValue(value("deviceKeyRsyncIntervals")?.int ?? 14),
            "enableTrust": flag("enableTrust"), "disableTags": flag("disableTags"), "disableHub": flag("disableHub"),
        ]
        if let options = value("signalsInitializationOptions")?.object {
            document["signalsInitializationOptions"] = .object(options)
        }
        self.document = document
    }
}

/// The wish of PingOne Protect for the signals that were collected.
struct ProtectEvaluation {
    /// What the program takes.
    static let answer = ProgramAnswer(
        members: ["signals": AnswerCheck.longestToken, "clientError": AnswerCheck.longestText])

    /// Whether collecting pauses afterwards.
    let document: JSONObject

    /// Reads the wish.
    init(_ value: (String) -> JSONValue?) {
        document = ["pauseBehavioralData": .bool(value("pauseBehavioralData")?.bool ?? false)]
    }
}
