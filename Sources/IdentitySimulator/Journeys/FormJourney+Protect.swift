internal import JSON

/// PingOne Protect signals: the first page starts to collect them, and the next page sends them.
extension FormJourney {
    /// The options of the signals SDK; `alice` also gets newer ones, and `bob` an invalid value.
    private static func options(_ user: SimulatedUser) -> JSONObject {
        var options: JSONObject = [
            "envId": "02fb4743-189a-4bc7-9d6c-a919edfe6447", "consoleLogEnabled": false,
            "deviceAttributesToIgnore": ["userAgent"], "customHost": "", "lazyMetadata": false,
            "behavioralDataCollection": true, "deviceKeyRsyncIntervals": 14, "enableTrust": false,
            "disableTags": false, "disableHub": false,
        ]
        switch user.name {
        case "alice": options["signalsInitializationOptions"] = ["agentIdentification": true]
        case "bob": options["signalsInitializationOptions"] = "none"
        default: break
        }
        return options
    }

    /// PingOne Protect in callbacks of its own.
    static let protect = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Protect")
            page.add("PingOneProtectInitializeCallback", options(user), input: ["clientError": ""])
            return page
        } judge: { answers, _, _ in
            .noError(answers.text(0, "clientError"), true)
        },
        Form { _, _ in
            var page = SimulatedPage(stage: "Protect")
            page.add(
                "PingOneProtectEvaluationCallback", ["pauseBehavioralData": true],
                input: ["signals": "", "clientError": ""])
            return page
        } judge: { answers, _, _ in
            .noError(answers.text(0, "clientError"), !answers.text(0, "signals").isEmpty)
        },
    ])

    /// PingOne Protect as metadata with hidden fields, two of which have the same input name.
    static let protectMetadata = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Protect")
            page.addMetadata("PingOneProtect", "protect_initialize", options(user))
            page.addHidden("clientError")
            return page
        } judge: { answers, _, _ in
            .noError(answers.hidden(1, "clientError"), true)
        },
        Form { _, _ in
            var page = SimulatedPage(stage: "Protect")
            page.addMetadata("PingOneProtect", "protect_risk_evaluation", ["pauseBehavioralData": true])
            for id in ["pingone_risk_evaluation_signals", "clientError"] {
                page.add(
                    "HiddenValueCallback", ["value": "", "id": .string(id)],
                    extra: ["input": [["name": "IDToken1", "value": .string(id)]]])
            }
            return page
        } judge: { answers, _, _ in
            let signals = answers.hidden(1, "pingone_risk_evaluation_signals")
            return .noError(answers.hidden(2, "clientError"), !signals.isEmpty)
        },
    ])
}

extension SimulatedPage {
    /// Adds a metadata callback for an SDK.
    mutating func addMetadata(_ type: String, _ action: String, _ data: JSONObject) {
        var all: JSONObject = ["_type": .string(type), "_action": .string(action)]
        for (name, value) in data { all[name] = value }
        add("MetadataCallback", ["data": .object(all)])
    }
}

extension JourneyAnswers {
    /// The value that an SDK wrote into a hidden field; empty if the field still has its id as value.
    func hidden(_ position: Int, _ id: String) -> String {
        let text = value(position)?.string ?? ""
        return text == id ? "" : text
    }
}
