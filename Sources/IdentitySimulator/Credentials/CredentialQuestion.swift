internal import Basics
internal import Cryptography
internal import JSON

/// The request for a credential of the browser, and the check of the result, both as AM's WebAuthn nodes do them.
struct CredentialQuestion {
    /// The meaning of the value in the hidden field.
    enum Outcome {
        /// A credential of this user, checked.
        case credential(user: String)
        /// The hidden field still has its initial value.
        case untouched
        /// The browser does not support WebAuthn.
        case unsupported
        /// The name of the error that the browser threw.
        case error(String)
        /// A check failed; the text names the check.
        case refused(String)
    }

    /// The relying party: the host of the pages, or a parent domain of it.
    let relyingParty: String
    let challenge: [UInt8]
    let store: CredentialStore
    /// The user whose credential is expected; nil accepts a credential of any user.
    let user: String?
    /// True if a success has to be wrapped in a JSON object.
    var isWrapped = true

    // MARK: The page

    /// Adds the request for a new credential.
    func addRegistration(to page: inout SimulatedPage, _ user: String) {
        let excluded = store.ids(of: user)
        let parameters: JSONValue = .array([-7, -8, -257].map { ["type": "public-key", "alg": $0] })
        let selection: JSONObject = [
            "userVerification": "preferred", "residentKey": "required", "requireResidentKey": true,
        ]
        add(
            to: &page,
            [
                "_action": "webauthn_registration", "challenge": .string(Base64.encode(challenge)),
                "attestationPreference": "none", "userName": .string(user), "userId": .string(Self.handle(of: user)),
                "relyingPartyName": "Simulator", "authenticatorSelection": .string(JSONValue.object(selection).text),
                "_authenticatorSelection": .object(selection), "pubKeyCredParams": .string(parameters.text),
                "_pubKeyCredParams": parameters, "timeout": "60000",
                "excludeCredentials": .string(Self.script(excluded)), "_excludeCredentials": Self.descriptors(excluded),
                "displayName": .string(user), "relyingPartyId": .string("id: \"\(relyingParty)\","),
                "_relyingPartyId": .string(relyingParty), "extensions": [:], "_type": "WebAuthn",
                "supportsJsonResponse": .bool(isWrapped),
            ])
    }

    /// Adds the request for a signature.
    func addAuthentication(to page: inout SimulatedPage, mediation: String? = nil) {
        let allowed = user.map { store.ids(of: $0) } ?? []
        var data: JSONObject = [
            "_action": "webauthn_authentication", "challenge": .string(Base64.encode(challenge)),
            "allowCredentials": .string(Self.script(allowed)), "_allowCredentials": Self.descriptors(allowed),
            "timeout": "60000", "userVerification": "preferred",
            "relyingPartyId": .string("rpId: \"\(relyingParty)\","), "_relyingPartyId": .string(relyingParty),
            "_type": "WebAuthn", "supportsJsonResponse": .bool(isWrapped),
        ]
        data["mediation"] = mediation.map { .string($0) }
        add(to: &page, data)
    }

    /// Adds a request as two scripts for AM's own page, as servers up to 7.0 do.
    func addScripts(to page: inout SimulatedPage, registering user: String?) {
        var options = """
            challenge: new Int8Array([\(Self.signed(challenge))]).buffer,
                timeout: 60000,

            """
        if let user {
            options += """
                    rp: { id: "\(relyingParty)", name: "Simulator" },
                    user: {
                        id: Uint8Array.from("\(Self.handle(of: user))", function (c) { return c.charCodeAt(0) }),
                        name: "\(user)", displayName: "\(user)"
                    },
                    pubKeyCredParams: [ { "type": "public-key", "alg": -7 }, { "type": "public-key", "alg": -257 } ],
                    attestation: "none",
                    excludeCredentials: [\(Self.script(store.ids(of: user)))],
                    authenticatorSelection: {"userVerification":"preferred"}
                """
        } else {
            options += """
                    rpId: "\(relyingParty)",
                    userVerification: "preferred",
                    allowCredentials: [\(Self.script(self.user.map { store.ids(of: $0) } ?? []))]
                """
        }
        let call = user == nil ? "get" : "create"
        page.addText(
            """
            var publicKey = {
                \(options)
            };
            navigator.credentials.\(call)({ publicKey: publicKey }).then(function (credential) {
                document.getElementById('webAuthnOutcome').value = outcome(credential);
            });
            """, type: "4")
        page.addText("document.getElementById('loginButton_0').style.display = 'none';", type: "4")
        addField(to: &page)
    }

    private func add(to page: inout SimulatedPage, _ data: JSONObject) {
        page.add("MetadataCallback", ["data": .object(data)])
        addField(to: &page)
    }

    private func addField(to page: inout SimulatedPage) {
        page.add("HiddenValueCallback", ["value": "false", "id": "webAuthnOutcome"], input: ["": "webAuthnOutcome"])
    }

    private static func signed(_ bytes: [UInt8]) -> String {
        bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ", ")
    }

    private static func script(_ ids: [[UInt8]]) -> String {
        ids.map { "{ \"type\": \"public-key\", \"id\": new Int8Array([\(signed($0))]) }" }.joined(separator: ", ")
    }

    private static func descriptors(_ ids: [[UInt8]]) -> JSONValue {
        .array(
            ids.map { id in
                [
                    "type": "public-key",
                    "id": .array(id.map { JSONValue(Int64(Int8(bitPattern: $0))) }),
                ]
            })
    }

    /// The user handle that authenticators store.
    static func handle(of user: String) -> String { Base64.encode(Array("id-\(user)".utf8)) }

    // MARK: The outcome

    /// Checks a registration and keeps the credential.
    func register(_ text: String, _ user: String) -> Outcome {
        guard let parts = parts(text) else { return other(text) }
        guard 3...4 ~= parts.count, let object = Self.bytes(parts[1]), let id = Base64URL.decode(parts[2]) else {
            return .refused("not an outcome of a registration")
        }
        if let fault = fault(parts[0], "webauthn.create") { return .refused(fault) }
        var rest = object[...]
        guard let attestation = CBORItem.take(from: &rest), rest.isEmpty, let data = attestation["authData"]?.bytes,
            let head = Head(data, relyingParty), head.isAttested, data.count > 55
        else { return .refused("attestation") }
        let count = Int(data[53]) << 8 | Int(data[54])
        guard data.count > 55 + count, id == Array(data[55..<(55 + count)]) else { return .refused("credential id") }
        var keyBytes = data[(55 + count)...]
        guard let key = CBORItem.take(from: &keyBytes).flatMap({ CredentialKey($0) }), keyBytes.isEmpty else {
            return .refused("key")
        }
        switch attestation["fmt"] {
        case .text("none"): guard attestation["attStmt"] == .map([:]) else { return .refused("statement") }
        case .text("packed"):
            guard let statement = attestation["attStmt"], statement["x5c"] == nil, let alg = statement["alg"]?.int,
                let signature = statement["sig"]?.bytes,
                key.signed(data + Digest.hash(utf8: String(parts[0])), signature, alg: alg)
            else { return .refused("statement") }
        default: return .refused("format")
        }
        let name = parts.count == 4 ? String(parts[3]) : "New Security Key"
        let credential = CredentialStore.Credential(
            id: id, user: user, key: key, counter: head.counter, deviceName: name)
        return store.add(credential) ? .credential(user: user) : .refused("known")
    }

    /// Checks a signature of a registered credential.
    func authenticate(_ text: String) -> Outcome {
        guard let parts = parts(text) else { return other(text) }
        guard 4...5 ~= parts.count, let data = Self.bytes(parts[1]), let signature = Self.bytes(parts[2]),
            let id = Base64URL.decode(parts[3])
        else { return .refused("not an outcome of an authentication") }
        if let fault = fault(parts[0], "webauthn.get") { return .refused(fault) }
        guard let head = Head(data, relyingParty) else { return .refused("authenticator data") }
        let owner = store.use(id, counter: head.counter) { credential in
            (user == nil || user == credential.user)
                && (parts.count == 4 ? user != nil : parts[4] == Self.handle(of: credential.user))
                && credential.key.signed(data + Digest.hash(utf8: String(parts[0])), signature)
        }
        return owner.map { .credential(user: $0) } ?? .refused("signature")
    }

    /// The parts of a success value; nil for any other value.
    private func parts(_ text: String) -> [Substring]? {
        var legacy = text
        if isWrapped {
            guard let wrapped = try? JSONValue(parsing: text), let data = wrapped["legacyData"]?.string,
                wrapped.object?.names.allSatisfy({ ["legacyData", "authenticatorAttachment"].contains($0) }) == true
            else { return nil }
            legacy = data
        }
        guard legacy.hasPrefix("{") else { return nil }
        var (parts, rest) = ([Substring](), legacy[...])
        while let mark = rest.firstRange(ofText: "::") {
            parts.append(rest[..<mark.lowerBound])
            rest = rest[mark.upperBound...]
        }
        return parts + [rest]
    }

    private func other(_ text: String) -> Outcome {
        switch text {
        case "webAuthnOutcome": return .untouched
        case "unsupported": return .unsupported
        default:
            guard text.hasPrefix("ERROR::") else { return .refused("form") }
            return .error(String(text.dropFirst(7).prefix { $0 != ":" }))
        }
    }

    /// The name of the first faulty member of the client data; nil if all are right.
    private func fault(_ text: Substring, _ type: String) -> String? {
        guard let data = try? JSONValue(parsing: Array(text.utf8)), data["type"]?.string == type else { return "type" }
        guard data["challenge"]?.string == Base64URL.encode(challenge) else { return "challenge" }
        guard let origin = data["origin"]?.string, let start = origin.firstRange(ofText: "://") else { return "origin" }
        let host = origin[start.upperBound...].prefix { $0 != ":" }
        return host == relyingParty[...] || host.hasSuffix("." + relyingParty) ? nil : "origin"
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let numbers = text.split(byte: ",")
        let bytes = numbers.compactMap { Int8($0).map { UInt8(bitPattern: $0) } }
        return bytes.count == numbers.count && !bytes.isEmpty ? bytes : nil
    }

    /// The first 37 bytes of authenticator data.
    private struct Head {
        let counter: UInt32
        /// True if a new credential follows.
        let isAttested: Bool

        /// Reads the head; nil for another relying party, or if the authenticator saw no action of its user.
        init?(_ data: [UInt8], _ relyingParty: String) {
            guard data.count >= 37, Array(data[..<32]) == Digest.hash(utf8: relyingParty), data[32] & 0x01 != 0 else {
                return nil
            }
            counter = data[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
            isAttested = data[32] & 0x40 != 0
        }
    }
}
