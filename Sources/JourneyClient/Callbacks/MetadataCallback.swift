public import JSON
public import Orchestrate

/// Data for the page; some data represents a question, whose answer fills hidden values on the page.
public struct MetadataCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "MetadataCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The question that the data represents; nil for plain data.
    public let specialised: Specialised?
    /// The WebAuthn request that the data represents; nil for other data.
    public let webAuthn: WebAuthnRequest?
    /// The data; if it represents a question, only the members that its type shows.
    public let data: JSONObject
    /// The form of the answer, if the data represents a question for a program of the page.
    let program: ProgramAnswer?
    /// By member of the answer, the position on the page of the hidden value that it fills.
    let siblings: [String: Int]

    /// The questions that the data can represent.
    public enum Specialised: String, Sendable {
        /// The request of `PingOneProtectInitializeCallback`.
        case protectInitialize = "protect_initialize"
        /// The request of `PingOneProtectEvaluationCallback`.
        case protectEvaluation = "protect_risk_evaluation"
        /// The request of `PingOneRecognizeCallback`.
        case recognize

        /// The form of the answer to data of this kind.
        func answer(to data: JSONObject) -> ProgramAnswer {
            switch self {
            case .protectInitialize: ProtectInitialization.answer
            case .protectEvaluation: ProtectEvaluation.answer
            case .recognize: RecognizeRequest { data[$0] }.answer
            }
        }

        /// The members of the data that a page shows.
        func document(_ data: JSONObject) -> JSONObject {
            switch self {
            case .protectInitialize: ProtectInitialization { data[$0] }.document
            case .protectEvaluation: ProtectEvaluation { data[$0] }.document
            case .recognize: RecognizeRequest { data[$0] }.document
            }
        }
    }

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        let received = raw.output("data")?.object ?? [:]
        let specialised = Self.specialised(received, raw.page)
        self.specialised = specialised
        webAuthn = specialised == nil ? WebAuthnRequest(data: received) : nil
        data = specialised?.document(received) ?? (webAuthn == nil ? received : [:])
        program = specialised?.answer(to: received)
        siblings = (webAuthn == nil ? program : WebAuthnRequest.place)?.siblings(on: raw.page) ?? [:]
    }

    /// Protect data names its type; Recognize data is recognised by its operation and the hidden value for its token.
    private static func specialised(_ data: JSONObject, _ page: CallbackPage) -> Specialised? {
        if data["_type"]?.string == "PingOneProtect" {
            return switch data["_action"]?.string {
            case "protect_initialize": .protectInitialize
            case "protect_risk_evaluation": .protectEvaluation
            default: nil
            }
        }
        guard data["operationType"]?.string != nil,
            RecognizeRequest.recognition.siblings(on: page)["signedJwt"] != nil
        else { return nil }
        return .recognize
    }

    /// The data and the question that it represents.
    public var members: JSONObject {
        var members = webAuthn?.members ?? [:]
        if let specialised { members["specialised"] = .string(specialised.rawValue) }
        members["data"] = .object(data)
        return members
    }

    /// The schema of the question that the data represents; nil for plain data.
    public var answerSchema: JSONObject? { webAuthn?.answerSchema ?? program?.schema }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        if let webAuthn { return webAuthn.refusal(of: answer) }
        return program.map { $0.refusal(of: answer) }
            ?? AnswerRefusal(.notAnswerable, "data for the page takes no answer")
    }

    /// The positions of the hidden values that the answer fills.
    public var filledSiblings: [Int] { Array(siblings.values) }

    /// Fills the hidden values by position, because two of them may have the same input name.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for (name, position) in siblings {
            if let webAuthn {
                inputs.set(siblingAt: position, .string(webAuthn.outcome(of: answer)))
            } else if let value = answer[name] {
                inputs.set(siblingAt: position, value)
            }
        }
    }
}

extension MetadataCallback: AnsweredCallback {
    /// The answer to the question that the data represents.
    public typealias Answer = JSONObject
}
