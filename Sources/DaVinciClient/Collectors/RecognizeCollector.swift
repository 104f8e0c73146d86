internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `RECOGNIZE`: a program on the page verifies the person at the device.
    ///
    /// Host, key and mobile options of the service are not sent to the browser.
    static let recognize = CollectorKind(name: "RecognizeCollector") { field in
        CollectorContent(.objectValueAuto, .recognize) { field in
            var members = JSONObject()
            for name in ["operationType", "transactionData", "audience", "clientState"] {
                members[name] = .string(field.text(name))
            }
            members["generateClientState"] = .bool(field.flag("generateClientState"))
            return members
        }
    }
}

/// The program's answer, whose members are all texts.
enum RecognizeAnswer {
    private static let names = [
        "signedJwt", "clientState", "recognizeId", "devicePublicSigningKey", "clientError", "clientErrorCode",
    ]

    static let schema: JSONObject = {
        let text = JSONValue.object(AnswerSchema.text("", limit: AnswerCheck.longestToken))
        return AnswerSchema.hidden(AnswerSchema.object(JSONObject(names.map { ($0, text) }), required: []))
    }()

    static func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(
            answer, each: names.map { (key: $0, value: AnswerCheck.optional { AnswerCheck.token($0) }) })
    }

    /// All members; missing ones are empty.
    static func value(_ answer: JSONValue) -> JSONValue {
        .object(JSONObject(names.map { ($0, answer[$0] ?? "") }))
    }
}
