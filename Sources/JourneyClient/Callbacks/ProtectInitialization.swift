internal import JSON
internal import Orchestrate

/// The options for the start of PingOne Protect, whether sent as a callback or as metadata.
struct ProtectInitialization {
    /// The form of the program's answer.
    static let answer = ProgramAnswer(members: ["clientError": AnswerCheck.longestText])

    /// All options, each with its default if the server sent no usable value.
    let document: JSONObject

    /// Reads the options.
    ///
    /// - Parameter value: Returns the value of an option; nil or null when there is none.
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

/// The request of PingOne Protect for the collected signals, whether sent as a callback or as metadata.
struct ProtectEvaluation {
    /// The form of the program's answer.
    static let answer = ProgramAnswer(
        members: ["signals": AnswerCheck.longestToken, "clientError": AnswerCheck.longestText])

    /// The setting to pause the collection of signals afterwards.
    let document: JSONObject

    /// Reads the request.
    init(_ value: (String) -> JSONValue?) {
        document = ["pauseBehavioralData": .bool(value("pauseBehavioralData")?.bool ?? false)]
    }
}
