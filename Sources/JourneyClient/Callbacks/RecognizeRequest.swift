internal import JSON
internal import Orchestrate

/// A request to PingOne Recognize for a person, whether sent as a callback or as metadata.
struct RecognizeRequest {
    /// The answer for the recognition of an enrolled person; only the token is required.
    static let recognition = answer(complete: ["signedJwt"])
    /// The answer for an enrolment; the token and the id of the person are required.
    static let enrolment = answer(complete: ["signedJwt", "recognizeId"])

    private static func answer(complete: [String]) -> ProgramAnswer {
        ProgramAnswer(
            members: [
                "signedJwt": AnswerCheck.longestToken, "recognizeId": AnswerCheck.longestText,
                "clientState": AnswerCheck.longestToken, "clientError": AnswerCheck.longestText,
                "clientErrorCode": AnswerCheck.longestText,
            ], complete: [complete, ["clientError"]], notOfPages: ["devicePublicSigningKey"])
    }

    /// True if the request enrols a person; an unknown operation is a recognition.
    let isEnrolment: Bool
    /// The form of the answer.
    var answer: ProgramAnswer { isEnrolment ? Self.enrolment : Self.recognition }

    /// The parameters that the program needs; keys and hosts for native SDKs are left out.
    let document: JSONObject

    /// Reads a request; older servers name the address `websocketURL`.
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
