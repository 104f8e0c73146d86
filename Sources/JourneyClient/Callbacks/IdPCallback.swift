public import JSON
public import Orchestrate

/// Asks for a token of another identity provider, which the application itself obtains from it.
public struct IdPCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "IdPCallback"
    /// The callback as received.
    public let raw: RawCallback

    /// The token types that AM accepts.
    private static let tokenTypes = ["id_token", "access_token", "authorization_code"]

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
    }

    /// The parameters that the application needs to obtain the token.
    public var members: JSONObject {
        var members = JSONObject()
        for name in ["provider", "clientId", "redirectUri"] { members[name] = .string(raw.text(name)) }
        members["scopes"] = .array(raw.texts("scopes").map { .string($0) })
        members["nonce"] = .string(raw.text("nonce"))
        members["acrValues"] = .array(raw.texts("acrValues").map { .string($0) })
        for name in ["request", "requestUri"] { members[name] = .string(raw.text(name)) }
        members["acceptsJSON"] = .bool(raw.flag("acceptsJSON"))
        return members
    }

    /// The token and its type, which a program fills in.
    public var answerSchema: JSONObject? {
        let types = Self.tokenTypes.map { AnswerSchema.Choice(value: .string($0), title: $0) }
        return AnswerSchema.hidden(
            AnswerSchema.object(
                [
                    "token": .object(AnswerSchema.secret("", limit: AnswerCheck.longestToken)),
                    "tokenType": .object(AnswerSchema.choice("", type: "string", types)),
                ], required: ["token", "tokenType"]))
    }

    /// The reason to refuse a token; nil when the token can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        AnswerCheck.object(
            answer,
            ["token": { AnswerCheck.token($0) }, "tokenType": { AnswerCheck.choice($0, of: Self.tokenTypes) }])
    }

    /// Fills both inputs.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        if let token = answer["token"] { inputs.set(raw.input(endingWith: "token"), token) }
        if let type = answer["tokenType"] { inputs.set(raw.input(endingWith: "token_type"), type) }
    }
}

extension IdPCallback: AnsweredCallback {
    /// An object with `token` and `tokenType`.
    public typealias Answer = JSONObject
}
