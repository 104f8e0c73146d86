internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `RECOGNIZE`: a program of the page checks who sits at the device.
    ///
    /// Host, key and mobile options of the service stay here.
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

/// The answer of the program, all of it text.
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

    /// All members; those that are not given are empty.
    static func value(_ answer: JSONValue) -> JSONValue {
        .object(JSONObject(names.map { ($0, answer[$0] ?? "") }))
    }
}
