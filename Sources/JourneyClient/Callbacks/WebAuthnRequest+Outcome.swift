internal import Basics
internal import JSON

extension WebAuthnRequest {
    /// The answer that a text stands for which Ping's client for JavaScript gives AM; the reverse of `outcome(of:)`.
    ///
    /// - Parameter outcome: The value of the input: the parts of a credential, those as a member of JSON, an error or
    ///   `unsupported`.
    /// - Returns: The answer; the value itself, which no question accepts, for any other text.
    func answer(ofOutcome outcome: JSONValue) -> JSONValue {
        guard let text = outcome.string else { return outcome }
        if text == "unsupported" { return ["unsupported": true] }
        if text.hasPrefix("ERROR::") {
            let words = text.dropFirst("ERROR::".utf8.count)
            let halves = words.split(byte: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = halves.first, !name.isEmpty else { return outcome }
            var error: JSONObject = ["name": .string(String(name))]
            if halves.count == 2 { error["message"] = .string(String(halves[1])) }
            return ["error": .object(error)]
        }
        var parts = text
        var attachment: JSONValue?
        if form == .wrappedParts, let wrapped = (try? JSONValue(parsing: text))?.object,
            let legacy = wrapped["legacyData"]?.string
        {
            parts = legacy
            attachment = wrapped["authenticatorAttachment"]
        }
        return credential(of: parts, attachment) ?? outcome
    }

    /// A credential of its parts, separated by `::`: the client data, signed numbers, the id, and for a registration
    /// the name of the device, for an authentication the handle of the user.
    private func credential(of text: String, _ attachment: JSONValue?) -> JSONValue? {
        // The client data is JSON: its address may have two colons.
        guard let end = text.firstRange(ofText: "}::") else { return nil }
        let clientData = text[..<text.utf8.index(after: end.lowerBound)]
        let rest = Self.parts(text[end.upperBound...])
        let names = kind == .registration ? ["attestationObject"] : ["authenticatorData", "signature"]
        guard rest.count > names.count else { return nil }
        var response: JSONObject = ["clientDataJSON": .string(Base64URL.encode(Array(clientData.utf8)))]
        for (name, numbers) in zip(names, rest) {
            guard let bytes = Self.bytes(ofNumbers: numbers) else { return nil }
            response[name] = .string(Base64URL.encode(bytes))
        }
        let id = rest[names.count]
        let more = rest.count > names.count + 1 ? rest[names.count + 1] : ""
        if kind == .authentication, !more.isEmpty {
            response["userHandle"] = .string(Base64URL.encode(Array(more.utf8)))
        }
        var credential: JSONObject = [
            "id": .string(String(id)), "rawId": .string(String(id)), "type": "public-key",
            "response": .object(response),
        ]
        if let attachment, !attachment.isNull { credential["authenticatorAttachment"] = attachment }
        var answer: JSONObject = ["credential": .object(credential)]
        if kind == .registration, !more.isEmpty { answer["deviceName"] = .string(String(more)) }
        return .object(answer)
    }

    private static func parts(_ text: Substring) -> [Substring] {
        var parts: [Substring] = []
        var rest = text
        while let mark = rest.firstRange(ofText: "::") {
            parts.append(rest[..<mark.lowerBound])
            rest = rest[mark.upperBound...]
        }
        return parts + [rest]
    }

    /// The bytes that AM reads as signed numbers between commas.
    private static func bytes(ofNumbers text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        for number in text.split(byte: ",", omittingEmptySubsequences: false) {
            guard let value = Int16(number), -128...255 ~= value else { return nil }
            bytes.append(UInt8(truncatingIfNeeded: value))
        }
        return bytes
    }
}
