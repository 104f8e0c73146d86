internal import JSON

/// Face recognition; `alice` is enrolled, by metadata with hidden fields, and `bob` gets the callbacks of an older
/// server.
extension FormJourney {
    private static let inputs = [
        "signedJwt", "clientState", "recognizeId", "devicePublicSigningKey", "clientError", "clientErrorCode",
    ]

    /// In reverse, so that the code, whose id contains the error's id, comes first.
    private static let hidden = Array(inputs.reversed())

    static let recognize = FormJourney(forms: [
        Form { user, _ in
            var page = SimulatedPage(stage: "Recognize")
            var output: JSONObject = [
                "operationType": user.name == "alice" ? "ENROLL" : "AUTHENTICATE",
                user.name == "bob" ? "websocketURL" : "authenticationServiceUrl": "wss://recognize.example.com",
                "customerName": "simulator", "username": .string(user.name), "transactionData": "",
                "audience": "simulator", "webSDKOptions": ["theme": "light"], "mobileSDKOptions": [:],
                "host": "https://api.example.com", "apiKey": "k-7", "imageEncryptionPublicKey": "p",
                "imageEncryptionKeyId": "i", "generateClientState": .string(user.name == "alice" ? "true" : "false"),
                "clientState": "",
            ]
            switch user.name {
            case "alice":
                output["_type"] = "PingOneRecognize"
                page.add("MetadataCallback", ["data": .object(output)])
                for name in hidden { page.addHidden("pingone_recognize_\(name)") }
            case "bob":
                page.add(
                    "PingOneRecognizeCallback", output,
                    input: ["signedJwt": "", "clientState": "", "keylessId": "", "clientError": ""])
            default:
                page.add("PingOneRecognizeCallback", output, input: JSONObject(inputs.map { ($0, "") }))
            }
            return page
        } judge: { answers, run, _ in
            func text(_ name: String) -> String {
                guard run.user == "alice", let index = hidden.firstIndex(of: name) else {
                    return answers.text(0, name)
                }
                return answers.hidden(index + 1, "pingone_recognize_\(name)")
            }
            let id = run.user == "bob" ? "keylessId" : "recognizeId"
            let isSound =
                !text("signedJwt").isEmpty && !text(id).isEmpty && text("devicePublicSigningKey").isEmpty
                && text("clientErrorCode").isEmpty && (run.user != "alice" || !text("clientState").isEmpty)
            return .noError(text("clientError"), isSound)
        }
    ])
}
