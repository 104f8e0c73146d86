internal import JSON
internal import Orchestrate

/// A recognition of a person by PingOne Recognize; the same as a callback and as metadata.
struct RecognizeRequest {
    /// What its program gives: what it found, or why it found nothing.
    static let answer = ProgramAnswer(
        members: [
            "signedJwt": AnswerCheck.longestToken, "recognizeId": AnswerCheck.longestText,
            "clientState": AnswerCheck.longestToken, "clientError": AnswerCheck.longestText,
            "clientErrorCode": AnswerCheck.longestText,
        ], complete: [["signedJwt", "recognizeId"], ["clientError"]],
        notOfPages: ["devicePublicSigningKey"])

    /// What the program needs; keys and hosts that only native SDKs need are left out.
    let document: JSONObject

    /// Reads a request; older servers call the address `websocketURL`.
    init(_ value: (String) -> JSONValue?) {
        func text(_ names: String...) -> JSONValue {
            .string(names.compactMap { value($0)?.string }.first { !$0.isEmpty } ?? "")
        }
        let isEnrolment = value("operationType")?.string == "ENROLL"
        let generates = value("generateClientState")
        document = [
            "operationType": isEnrolment ? "ENROLL" : "AUTHENTICATE",
            "authenticationServiceUrl": text("authenticationServiceUrl", "websocketURL"),
            "customerName": text("customerName"), "username": text("username"),
            "transactionData": text("transactionData"), "audience": text("audience"),
            "webSDKOptions": .object(value("webSDKOptions")?.object ?? [:]),
            "generateClientState": .bool(generates?.bool ?? (generates?.string == "true")),
            "clientState": text("clientState"),
        ]
    }
}
