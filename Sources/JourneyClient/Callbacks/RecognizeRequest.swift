internal import JSON
internal import Orchestrate

/// A recognition of a person by PingOne Recognize; the same as a callback and as metadata.
struct RecognizeRequest {
    /// The answer of the program that recognises an enrolled person: the token alone may be all that it gives.
    static let recognition = answer(complete: ["signedJwt"])
    /// The answer of the program that enrols a person: the token and the id that the person gets.
    static let enrolment = answer(complete: ["signedJwt", "recognizeId"])

    private static func answer(complete: [String]) -> ProgramAnswer {
        ProgramAnswer(
            members: [
                "signedJwt": AnswerCheck.longestToken, "recognizeId": AnswerCheck.longestText,
                "clientState": AnswerCheck.longestToken, "clientError": AnswerCheck.longestText,
                "clientErrorCode": AnswerCheck.longestText,
            ], complete: [complete, ["clientError"]], notOfPages: ["devicePublicSigningKey"])
    }

    /// True if a person is enrolled; any operation that is not known recognises one.
    let isEnrolment: Bool
    /// The form of the answer.
    var answer: ProgramAnswer { isEnrolment ? Self.enrolment : Self.recognition }

    /// What the program needs; keys and hosts that only native SDKs need are left out.
    let document: JSONObject

    /// Reads a request; older servers call the address `websocketURL`.
    init(_ value: (String) -> JSONValue?) {
        func text(_ names: String...) -> JSONValue {
            .string(names.compactMap { value($0)?.string }.first { !$0.isEmpty } ?? "")
        }
        isEnrolment = value("operationType")?.string == "ENROLL"
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
