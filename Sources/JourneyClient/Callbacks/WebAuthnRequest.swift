internal import Basics
public import JSON

/// A wish for a credential of the browser, which AM sends as metadata or, until 7.0, as a script, and OpenAM as a message.
///
/// What the browser answers goes into the hidden value `webAuthnOutcome` beside it; at OpenAM into the password of the page.
public struct WebAuthnRequest: Sendable, Equatable {
    /// What is wished for.
    public let kind: Kind
    /// The options for the browser: what `PublicKeyCredential.parseCreationOptionsFromJSON` takes at a registration, else
    /// `parseRequestOptionsFromJSON` (Web Authentication Level 3).
    public let publicKey: JSONObject
    /// How the browser asks, as the server says it; `conditional` offers passkeys among what it fills in by itself.
    public let mediation: String?
    /// How AM reads the answer.
    let form: Form

    /// The texts that AM reads a credential from (docs/protocol.md, 'Credentials of the browser').
    enum Form {
        /// Its parts, with colons between them.
        case parts
        /// The same within a JSON object.
        case wrappedParts
        /// Members of a JSON object, as OpenAM's page sends them.
        case members
    }

    /// The wishes for credentials.
    public enum Kind: String, Sendable {
        /// A new credential.
        case registration = "webauthn_registration"
        /// A signature of one that there is.
        case authentication = "webauthn_authentication"
    }

    /// Whether the user may go on without it: the page offers passkeys beside something else.
    public var isConditional: Bool { mediation == "conditional" }

    /// Whether the challenge is the provider session that the sign-in ends with: whoever sees the page has the session.
    ///
    /// OpenAM makes its challenges so.
    public var challengeIsSession: Bool { form == .members }

    /// Reads the data of a MetadataCallback: members with an underscore first, as the others hold text of scripts.
    ///
    /// It is nil for data that stands for something else, or whose challenge cannot be read.
    init?(data: JSONObject) {
        func text(_ name: String) -> String { data[name]?.string ?? "" }
        guard let kind = Self.kind(data), let challenge = Self.bytes(text("challenge")) else { return nil }
        let listed = kind == .registration ? ["excludeCredentials"] : Self.allowed
        let selection =
            data["_authenticatorSelection"]?.object
            ?? (try? JSONValue(parsing: text("authenticatorSelection")))?.object ?? [:]
        var options = Options(kind: kind, challenge: challenge)
        options.relyingPartyID = [text("_relyingPartyId"), Self.host(text("relyingPartyId"))].first { !$0.isEmpty }
        options.relyingPartyName = text("relyingPartyName")
        (options.userID, options.userName, options.displayName) = (
            text("userId"), text("userName"), text("displayName")
        )
        options.parameters =
            data["_pubKeyCredParams"]?.array ?? data["pubKeyCredParams"]?.array
            ?? (try? JSONValue(parsing: text("pubKeyCredParams")))?.array ?? []
        options.credentials =
            (listed.map { "_" + $0 } + listed).lazy.compactMap { data[$0]?.array }.first
            .map { $0.compactMap(Self.descriptor) }
            ?? listed.flatMap { ScriptMembers(text($0)).byteArrays }.map { Self.descriptor($0) }
        options.selection = selection
        options.attestation = text("attestationPreference")
        options.timeout = data["timeout"].flatMap { $0.int ?? $0.string.flatMap { Int64($0) } }
        options.userVerification = data["userVerification"]?.string
        options.extensions = data["extensions"]?.object ?? [:]
        self.init(
            options, mediation: data["mediation"]?.string,
            form: data["supportsJsonResponse"]?.bool ?? false ? .wrappedParts : .parts)
    }

    /// Reads a script for AM's own page, as AM sends it up to version 7.0.
    ///
    /// It is nil for one that asks the browser for no credential, or whose challenge cannot be read.
    init?(script: String) {
        let isRegistration = script.firstRange(ofText: "credentials.create(") != nil
        guard isRegistration || script.firstRange(ofText: "credentials.get(") != nil else { return nil }
        let members = ScriptMembers(script)
        guard let challenge = members.bytes("challenge"), !challenge.isEmpty else { return nil }
        var options = Options(kind: isRegistration ? .registration : .authentication, challenge: challenge)
        let (party, user) = (members.object("rp"), members.object("user"))
        options.relyingPartyID = (isRegistration ? party?.text("id") : members.text("rpId")).flatMap {
            $0.isEmpty ? nil : $0
        }
        options.relyingPartyName = party?.text("name") ?? ""
        (options.userID, options.userName, options.displayName) = (
            user?.text("id") ?? "", user?.text("name") ?? "", user?.text("displayName") ?? ""
        )
        options.parameters = members.list("pubKeyCredParams")?.array ?? []
        options.credentials = members.byteArrays.filter { $0 != challenge }.map { Self.descriptor($0) }
        options.attestation = members.text("attestation") ?? ""
        options.timeout = members.number("timeout")
        options.userVerification = members.text("userVerification")
        if let attachment = members.text("authenticatorAttachment") {
            options.selection["authenticatorAttachment"] = .string(attachment)
        }
        if let resident = members.flag("requireResidentKey") {
            options.selection["requireResidentKey"] = .bool(resident)
        }
        self.init(options, form: .parts)
    }

    init(_ options: Options, mediation: String? = nil, form: Form) {
        kind = options.kind
        publicKey = options.json
        self.mediation = mediation
        self.form = form
    }

    /// Members that list the credentials an authentication may use; AM 6.5 has the second name.
    private static let allowed = ["allowCredentials", "acceptableCredentials"]

    /// The kind that the data states; else the kind that its members tell.
    ///
    /// AM 6.5 states neither action nor type: there the relying party beside the lists tells data of WebAuthn, as in Ping's SDK
    /// for JavaScript.
    private static func kind(_ data: JSONObject) -> Kind? {
        if let kind = data["_action"]?.string.flatMap({ Kind(rawValue: $0) }) { return kind }
        func has(_ name: String) -> Bool { data[name] != nil || data["_" + name] != nil }
        guard data["_type"].map({ $0 == "WebAuthn" }) ?? has("relyingPartyId") else { return nil }
        return has("pubKeyCredParams") ? .registration : allowed.contains(where: has) ? .authentication : nil
    }

    /// Standard base64, or base64url; not nothing.
    static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = Base64.decode(text) ?? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        return bytes
    }

    /// A host by itself, or as a script has it: `id: "host",`.
    private static func host(_ text: String) -> String {
        ScriptMembers(text).text("rpId") ?? ScriptMembers(text).text("id")
            ?? (text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") } ? text : "")
    }

    /// A credential with its id as signed bytes; nil for one without.
    private static func descriptor(_ json: JSONValue) -> JSONValue? {
        guard let numbers = json["id"]?.array else { return nil }
        let bytes = numbers.compactMap { $0.int.map { UInt8(truncatingIfNeeded: $0) } }
        guard !bytes.isEmpty, bytes.count == numbers.count else { return nil }
        return descriptor(bytes, json["transports"])
    }

    static func descriptor(_ id: [UInt8], _ transports: JSONValue? = nil) -> JSONValue {
        var descriptor: JSONObject = ["type": "public-key", "id": .string(Base64URL.encode(id))]
        if let transports, transports.array != nil { descriptor["transports"] = transports }
        return .object(descriptor)
    }
}

extension WebAuthnRequest {
    /// What the forms of a wish have in common.
    struct Options {
        let kind: Kind
        let challenge: [UInt8]
        var relyingPartyID: String?
        var (relyingPartyName, userID, userName, displayName, attestation) = ("", "", "", "", "")
        var (parameters, credentials): ([JSONValue], [JSONValue]) = ([], [])
        var (selection, extensions): (JSONObject, JSONObject) = ([:], [:])
        var timeout: Int64?
        var userVerification: String?

        init(kind: Kind, challenge: [UInt8]) {
            self.kind = kind
            self.challenge = challenge
        }

        /// Absent members are what Ping's own programs take them for, and no algorithm is the two that browsers take then.
        var json: JSONObject {
            var json = JSONObject()
            let verification = JSONValue.string(userVerification ?? "preferred")
            switch kind {
            case .registration:
                var party: JSONObject = ["name": .string(relyingPartyName)]
                if let relyingPartyID { party["id"] = .string(relyingPartyID) }
                json["rp"] = .object(party)
                // The text itself and not what it may be an encoding of: all clients of AM agree on it.
                json["user"] = [
                    "id": .string(Base64URL.encode(Array(userID.utf8))), "name": .string(userName),
                    "displayName": .string(displayName.isEmpty ? userName : displayName),
                ]
                json["challenge"] = .string(Base64URL.encode(challenge))
                let algorithms = parameters.compactMap {
                    $0["alg"].flatMap { $0.int ?? $0.string.flatMap { Int64($0) } }
                }
                json["pubKeyCredParams"] = .array(
                    (algorithms.isEmpty ? [-7, -257] : algorithms).map { ["type": "public-key", "alg": JSONValue($0)] })
                json["excludeCredentials"] = .array(credentials)
                var selection = selection
                if selection["userVerification"]?.string == nil { selection["userVerification"] = verification }
                json["authenticatorSelection"] = .object(selection)
                json["attestation"] = .string(attestation.isEmpty ? "none" : attestation)
            case .authentication:
                json["challenge"] = .string(Base64URL.encode(challenge))
                if let relyingPartyID { json["rpId"] = .string(relyingPartyID) }
                json["allowCredentials"] = .array(credentials)
                json["userVerification"] = verification
            }
            json["timeout"] = JSONValue(timeout.flatMap { $0 > 0 ? $0 : nil } ?? 60_000)
            if !extensions.isEmpty { json["extensions"] = .object(extensions) }
            return json
        }
    }
}
