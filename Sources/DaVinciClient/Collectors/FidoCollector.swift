internal import Basics
package import JSON
internal import Orchestrate

extension CollectorKind {
    /// `FIDO2`: asks the browser for a new credential, or for a signature with an existing one.
    static func fido(_ request: FidoRequest) -> CollectorKind {
        let name = request.isRegistration ? "FidoRegistrationCollector" : "FidoAuthenticationCollector"
        return CollectorKind(name: name) { field in
            CollectorContent(.objectValueAuto, .credential(request)) { field in
                var members = field.labelled
                members["trigger"] = .string(field.text("trigger"))
                members["publicKey"] = .object(request.publicKey)
                return members
            }
        }
    }
}

/// A request for a credential of the browser.
package struct FidoRequest: Sendable {
    /// True if the request is for a new credential.
    package let isRegistration: Bool
    /// The options in the form that `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`
    /// accepts (Web Authentication Level 3).
    package let publicKey: JSONObject

    /// Reads a field; nil for another action, and for options without a readable challenge.
    init?(_ field: JSONValue) {
        switch field["action"]?.string {
        case "REGISTER": isRegistration = true
        case "AUTHENTICATE": isRegistration = false
        default: return nil
        }
        let name = isRegistration ? "publicKeyCredentialCreationOptions" : "publicKeyCredentialRequestOptions"
        guard var options = field[name]?.object, let challenge = Self.encoded(options["challenge"]) else { return nil }
        options["challenge"] = challenge
        if isRegistration {
            if var user = options["user"]?.object {
                user["id"] = Self.encoded(user["id"])
                options["user"] = .object(user)
            }
            let algorithms = options["pubKeyCredParams"]?.array ?? [["alg": -7], ["alg": -257]]
            options["pubKeyCredParams"] = .array(algorithms.compactMap { Self.algorithm($0) })
        }
        let list = isRegistration ? "excludeCredentials" : "allowCredentials"
        options[list] = .array(
            (options[list]?.array ?? []).compactMap { entry in
                guard var entry = entry.object, let id = Self.encoded(entry["id"]) else { return nil }
                entry["id"] = id
                return .object(entry)
            })
        publicKey = JSONObject(options.filter { Self.members.contains($0.name) }.map { ($0.name, $0.value) })
    }

    /// The members of both kinds of options (Web Authentication Level 3).
    private static let members: Set = [
        "rp", "user", "challenge", "pubKeyCredParams", "timeout", "excludeCredentials", "authenticatorSelection",
        "hints",
        "attestation", "attestationFormats", "extensions", "rpId", "allowCredentials", "userVerification",
    ]

    /// An array of signed bytes as base64url; a text is base64url already.
    private static func encoded(_ json: JSONValue?) -> JSONValue? {
        if let text = json?.string { return text.isEmpty ? nil : .string(text) }
        guard let numbers = json?.array, !numbers.isEmpty else { return nil }
        let bytes = numbers.compactMap { number in
            (number.int ?? number.string.flatMap { Int64($0) }).flatMap {
                -128...255 ~= $0 ? UInt8(truncatingIfNeeded: $0) : nil
            }
        }
        return bytes.count == numbers.count ? .string(Base64URL.encode(bytes)) : nil
    }

    private static func algorithm(_ json: JSONValue) -> JSONValue? {
        (json["alg"]?.int ?? json["alg"]?.string.flatMap { Int64($0) }).map {
            ["type": json["type"] ?? "public-key", "alg": .init($0)]
        }
    }

    /// The credential as returned by `toJSON()` in the browser, or the error that the browser threw.
    static let schema: JSONObject = {
        var schema = AnswerSchema.object(
            [
                "credential": ["type": "object"],
                "error": .object(
                    AnswerSchema.object(
                        ["name": .object(AnswerSchema.text("")), "message": .object(AnswerSchema.text(""))],
                        required: ["name"])),
            ], required: [])
        schema["required"] = nil
        schema["oneOf"] = [["required": ["credential"]], ["required": ["error"]]]
        return AnswerSchema.hidden(schema)
    }()
}

extension FidoRequest {
    private var place: String { isRegistration ? "attestationValue" : "assertionValue" }

    /// The reason why the form of an answer is not valid; the credential itself is verified by code that knows the page's origin.
    ///
    /// A program may send the finished object instead, in the form that Ping's SDKs make.
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        // rule: a credential for DaVinci has the bounds of a document
        if let refusal = AnswerCheck.document(answer) { return refusal }
        if answer.object?.names == [place], answer[place]?.object != nil { return nil }
        let text = { (part: JSONValue?) in AnswerCheck.text(part) }
        let refusal = AnswerCheck.object(
            answer,
            [
                "credential": AnswerCheck.optional { [self] in
                    $0.flatMap { converted($0) } == nil
                        ? AnswerRefusal(.wrongType, "the credential is none as the browser's toJSON() gives it") : nil
                },
                "error": AnswerCheck.optional {
                    $0.flatMap { AnswerCheck.object($0, ["name": text, "message": AnswerCheck.optional(text)]) }
                },
            ])
        if let refusal { return refusal }
        return (answer["credential"] == nil) == (answer["error"] == nil)
            ? AnswerRefusal(.required, "the answer is either a credential or an error") : nil
    }

    /// The value to send: the credential in the encoding of Ping's SDK for JavaScript; nil without a credential.
    func value(_ answer: JSONValue?) -> JSONValue? {
        if let finished = answer?[place] { return .object([place: finished]) }
        return answer?["credential"].flatMap { converted($0) }.map { .object([place: $0]) }
    }

    /// The error name in an answer, nil for a credential; the flow has branches for some errors.
    static func errorName(of answer: JSONValue?) -> String? {
        guard let name = answer?["error"]?["name"]?.string else { return nil }
        let known = [
            "NotAllowedError", "AbortError", "InvalidStateError", "NotSupportedError", "SecurityError", "TimeoutError",
        ]
        return known.contains(name) ? name : "UnknownError"
    }

    /// Converts a credential to standard base64 with padding, except its id; nil for a credential of another kind.
    private func converted(_ credential: JSONValue) -> JSONValue? {
        func bytes(_ json: JSONValue?) -> JSONValue? {
            guard let bytes = json?.string.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else { return nil }
            return .string(Base64.encode(bytes))
        }
        guard let id = credential["id"]?.string, let type = credential["type"]?.string,
            let raw = bytes(credential["rawId"])
        else { return nil }
        var response = JSONObject()
        let names = isRegistration ? ["attestationObject"] : ["authenticatorData", "signature"]
        for name in ["clientDataJSON"] + names {
            guard let value = bytes(credential["response"]?[name]) else { return nil }
            response[name] = value
        }
        var value: JSONObject = ["id": .string(id), "type": .string(type), "rawId": raw]
        if isRegistration {
            if let attachment = credential["authenticatorAttachment"]?.string {
                value["authenticatorAttachment"] = .string(attachment)
            }
        } else {
            response["userHandle"] = bytes(credential["response"]?["userHandle"]) ?? .null
        }
        value["response"] = .object(response)
        return .object(value)
    }
}
