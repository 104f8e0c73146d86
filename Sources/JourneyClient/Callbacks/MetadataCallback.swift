public import JSON
public import Orchestrate

/// Data for the page; some of it stands for a question, whose answer goes into hidden values beside it.
public struct MetadataCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "MetadataCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// What the data stands for; nil where it is data and no more.
    public let specialised: Specialised?
    /// The wish for a credential of the browser that the data stands for; nil where it does not.
    public let webAuthn: WebAuthnRequest?
    /// The data; of what stands for a question what its type shows.
    public let data: JSONObject
    /// The form of the answer, where the data stands for a question of a program.
    private let program: ProgramAnswer?
    /// By the member of the answer, where on the page the hidden value stands that it goes into.
    private let siblings: [String: Int]

    /// The questions that come as data.
    public enum Specialised: String, Sendable {
        /// The wish of `PingOneProtectInitializeCallback`.
        case protectInitialize = "protect_initialize"
        /// The wish of `PingOneProtectEvaluationCallback`.
        case protectEvaluation = "protect_risk_evaluation"
        /// The wish of `PingOneRecognizeCallback`.
        case recognize

        /// The form of the answer to data of this kind.
        func answer(to data: JSONObject) -> ProgramAnswer {
            switch self {
            case .protectInitialize: ProtectInitialization.answer
            case .protectEvaluation: ProtectEvaluation.answer
            case .recognize: RecognizeRequest { data[$0] }.answer
            }
        }

        /// What a page is shown of the data.
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

    /// Protect says what it is; of Recognize the operation and the hidden value for its token tell.
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

    /// The data, and what it stands for.
    public var members: JSONObject {
        var members = webAuthn?.members ?? [:]
        if let specialised { members["specialised"] = .string(specialised.rawValue) }
        members["data"] = .object(data)
        return members
    }

    /// That of the question which the data stands for.
    public var answerSchema: JSONObject? { webAuthn?.answerSchema ?? program?.schema }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        if let webAuthn { return webAuthn.refusal(of: answer) }
        return program.map { $0.refusal(of: answer) }
            ?? AnswerRefusal(.notAnswerable, "data for the page takes no answer")
    }

    /// The hidden values that the answer goes into.
    public var filledSiblings: [Int] { Array(siblings.values) }

    /// Fills the hidden values, each by its position: two of them may bear one input name.
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
    /// That of the question which the data stands for.
    public typealias Answer = JSONObject
}
