internal import Basics
package import JSON
internal import Orchestrate

extension WebAuthnRequest {
    /// The hidden value that the answer fills.
    static let place = ProgramAnswer(members: ["webAuthnOutcome": AnswerCheck.longestToken])

    /// The answer of a page that does not support WebAuthn; AM's journey then branches.
    private static let unsupported: JSONValue = ["unsupported": true]

    /// The schema of the answer `unsupported` only.
    package static var unsupportedSchema: JSONObject {
        var schema = AnswerSchema.object(
            ["unsupported": ["type": "boolean", "const": true]], required: ["unsupported"])
        schema["default"] = unsupported
        return AnswerSchema.hidden(schema)
    }

    /// The names of a DOMException (Web IDL); AM may have an outcome for each.
    private static let errorNames = Set(
        ("HierarchyRequestError WrongDocumentError InvalidCharacterError NoModificationAllowedError NotFoundError "
            + "NotSupportedError InUseAttributeError InvalidStateError SyntaxError InvalidModificationError NamespaceError "
            + "SecurityError NetworkError AbortError URLMismatchError QuotaExceededError TimeoutError "
            + "InvalidNodeTypeError DataCloneError EncodingError NotReadableError UnknownError ConstraintError DataError "
            + "TransactionInactiveError ReadOnlyError VersionError OperationError NotAllowedError OptOutError")
            .split(byte: " ").map { String($0) })

    /// True if a new credential can be given a name; OpenAM has no member for it.
    private var takesName: Bool { kind == .registration && form != .members }

    /// The members that a question shows of the request.
    var members: JSONObject {
        var members: JSONObject = ["specialised": .string(kind.rawValue), "publicKey": .object(publicKey)]
        if let mediation { members["mediation"] = .string(mediation) }
        return members
    }

    /// One of three answers: the credential, the error that the browser threw, or `unsupported`.
    ///
    /// The credential is the result of the browser's `toJSON()`.
    var answerSchema: JSONObject {
        let anything: JSONValue = ["type": "object"]
        var properties: JSONObject = ["credential": anything]
        if takesName { properties["deviceName"] = ["type": "string", "maxLength": 64] }
        properties["error"] = .object(
            AnswerSchema.object(
                ["name": .object(AnswerSchema.text("")), "message": .object(AnswerSchema.text(""))], required: ["name"])
        )
        properties["unsupported"] = ["type": "boolean", "const": true]
        var schema = AnswerSchema.object(properties, required: [])
        schema["required"] = nil
        schema["oneOf"] = [
            ["required": ["credential"]], ["required": ["error"]], ["required": ["unsupported"]],
        ]
        if isConditional {
            schema["autocomplete"] = .string(AnswerSchema.Autofill.webauthn.rawValue)
        } else {
            schema["default"] = Self.unsupported
        }
        return AnswerSchema.hidden(schema)
    }

    /// The reason to refuse the form of an answer; AM, not this client, verifies the credential.
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        let given = ["credential", "error", "unsupported"].filter { answer[$0] != nil }
        let credential = AnswerCheck.optional { [kind] credential in
            // rule: a credential has the bounds of a document
            if let refusal = AnswerCheck.document(credential) { return refusal }
            return credential.flatMap { WebAuthnCredential($0, kind) } == nil
                ? AnswerRefusal(.wrongType, "the credential is none as the browser's toJSON() gives it") : nil
        }
        let error = AnswerCheck.optional {
            $0.flatMap {
                AnswerCheck.object(
                    $0, ["name": { AnswerCheck.text($0) }, "message": AnswerCheck.optional { AnswerCheck.text($0) }])
            }
        }
        let unsupported = AnswerCheck.optional {
            $0?.bool == true ? nil : AnswerRefusal(.wrongType, "unsupported can only be true")
        }
        let refusal =
            if takesName {
                AnswerCheck.object(
                    answer,
                    [
                        "credential": credential, "deviceName": AnswerCheck.optional(Self.refusal(ofDeviceName:)),
                        "error": error, "unsupported": unsupported,
                    ])
            } else {
                AnswerCheck.object(answer, ["credential": credential, "error": error, "unsupported": unsupported])
            }
        if let refusal { return refusal }
        if given.isEmpty { return AnswerRefusal(.required, "a part of the answer is missing") }
        // rule: an answer to a WebAuthn request is one of its kinds
        if given.count > 1 || (answer["deviceName"] != nil && !given.contains("credential")) {
            return AnswerRefusal(.wrongType, "the answer is one of credential, error and unsupported")
        }
        return nil
    }

    private static func refusal(ofDeviceName name: JSONValue?) -> AnswerRefusal? {
        if let refusal = AnswerCheck.text(name) { return refusal }
        guard let name = name?.string else { return nil }
        // rule: a device's name has no more than 64 characters
        if name.unicodeScalars.count > 64 {
            return AnswerRefusal(.tooLong, "the name of the device is longer than 64 characters")
        }
        return name.firstRange(ofText: "::") == nil
            ? nil : AnswerRefusal(.wrongType, "the name of the device has two colons in a row")
    }

    /// The text that AM reads (docs/protocol.md, 'Credentials of the browser').
    ///
    /// - Parameter answer: A checked answer.
    /// - Returns: The value of the input.
    func outcome(of answer: JSONValue) -> String {
        if let error = answer["error"] {
            let name = error["name"]?.string ?? ""
            if name == "NotSupportedError" { return "unsupported" }
            let known = Self.errorNames.contains(name) ? name : "UnknownError"
            return "ERROR::\(known):\(Self.line(error["message"]?.string ?? ""))"
        }
        guard let credential = answer["credential"].flatMap({ WebAuthnCredential($0, kind) }) else {
            return "unsupported"
        }
        if form == .members { return credential.members(kind).text }
        var parts = credential.parts
        if let name = answer["deviceName"]?.string, !name.isEmpty { parts.append(name) }
        let text = parts.joined(separator: "::")
        guard form == .wrappedParts else { return text }
        var wrapped = JSONObject()
        if let attachment = credential.attachment { wrapped["authenticatorAttachment"] = .string(attachment) }
        wrapped["legacyData"] = .string(text)
        return JSONValue.object(wrapped).text
    }

    /// At most 256 characters in one line, without `::`, which separates the parts of an outcome.
    private static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(256) {
            let isControl = scalar.properties.generalCategory == .control
            if isControl || scalar == "\u{2028}" || scalar == "\u{2029}" {
                line.append(" ")
            } else if scalar != ":" || line.last != ":" {
                line.append(scalar)
            }
        }
        return String(line)
    }
}

/// A credential, parsed from the result of `PublicKeyCredential.toJSON()` for AM.
private struct WebAuthnCredential {
    /// The parts in AM's order: the client data byte for byte, other bytes as signed numbers, the id as received.
    let parts: [String]
    /// The value `platform` or `cross-platform`; nil when the browser sent none.
    let attachment: String?
    private let json: JSONValue

    /// Reads a credential; nil for anything else, while further members are ignored.
    init?(_ json: JSONValue, _ kind: WebAuthnRequest.Kind) {
        func bytes(_ name: String) -> [UInt8]? {
            guard let bytes = json["response"]?[name]?.string.flatMap({ Base64URL.decode($0) }), !bytes.isEmpty else {
                return nil
            }
            return bytes
        }
        guard json["id"]?.string != nil, json["type"]?.string != nil, let id = json["rawId"]?.string,
            Base64URL.decode(id)?.isEmpty == false,
            let clientData = bytes("clientDataJSON").flatMap({ String(validating: $0, as: UTF8.self) })
        else { return nil }
        switch json["authenticatorAttachment"] {
        case nil, .null: attachment = nil
        case .string(let text) where text == "platform" || text == "cross-platform": attachment = text
        default: return nil
        }
        var parts = [clientData]
        for name in kind == .registration ? ["attestationObject"] : ["authenticatorData", "signature"] {
            guard let bytes = bytes(name) else { return nil }
            parts.append(bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ","))
        }
        parts.append(id)
        if kind == .authentication, let handle = json["response"]?["userHandle"], !handle.isNull, handle != "" {
            guard let text = bytes("userHandle").flatMap({ String(validating: $0, as: UTF8.self) }) else { return nil }
            parts.append(text)
        }
        (self.parts, self.json) = (parts, json)
    }

    /// The answer for OpenAM: the id and the parts as received; a missing user handle is empty.
    func members(_ kind: WebAuthnRequest.Kind) -> JSONValue {
        let creates = kind == .registration
        var members: JSONObject = [creates ? "credentialId" : "assertionId": json["id"] ?? ""]
        let parts =
            creates
            ? ["attestationObject", "clientDataJSON"]
            : ["authenticatorData", "clientDataJSON", "signature", "userHandle"]
        for name in parts { members[name] = .string(json["response"]?[name]?.string ?? "") }
        return .object(members)
    }
}
