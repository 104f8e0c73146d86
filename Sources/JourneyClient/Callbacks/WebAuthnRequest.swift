internal import Basics
public import JSON

/// A WebAuthn request for a credential of the browser.
///
/// AM sends it as metadata or, up to version 7.0, as a script; OpenAM sends it as a message. The answer fills the
/// hidden value `webAuthnOutcome` on the page; at OpenAM the password field of the page.
public struct WebAuthnRequest: Sendable, Equatable {
    /// The kind of the request.
    public let kind: Kind
    /// The options for the browser (Web Authentication Level 3).
    ///
    /// A registration has the input of `PublicKeyCredential.parseCreationOptionsFromJSON`, an authentication the input
    /// of `parseRequestOptionsFromJSON`.
    public let publicKey: JSONObject
    /// The mediation that the server requests; `conditional` offers passkeys in the browser's autofill.
    public let mediation: String?
    /// The form in which AM reads the answer.
    let form: Form

    /// The forms of the text in which AM reads a credential (docs/protocol.md, 'Credentials of the browser').
    enum Form {
        /// The parts of the credential, separated by `::`.
        case parts
        /// The parts of the credential, separated by `::`, as a member of a JSON object.
        case wrappedParts
        /// Members of a JSON object, as OpenAM's page sends them.
        case members
    }

    /// The kinds of WebAuthn requests.
    public enum Kind: String, Sendable {
        /// The creation of a new credential.
        case registration = "webauthn_registration"
        /// A signature by an existing credential.
        case authentication = "webauthn_authentication"
    }

    /// True if the user may continue without a credential, because the page only offers passkeys beside another
    /// question.
    public var isConditional: Bool { mediation == "conditional" }

    /// True if the challenge is the token of the provider session that the sign-in ends with, as at OpenAM.
    ///
    /// Then everyone who can read the page has the session.
    public var challengeIsSession: Bool { form == .members }

    /// Reads the data of a MetadataCallback.
    ///
    /// Members whose names begin with an underscore come first, because the others contain script text. The result is
    /// nil for other data, and if the challenge cannot be read.
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

    /// Reads a script for AM's own login page, as AM sends it up to version 7.0.
    ///
    /// The result is nil for a script that requests no credential, and if the challenge cannot be read.
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

    /// The members that list the allowed credentials of an authentication; AM 6.5 uses the second name.
    private static let allowed = ["allowCredentials", "acceptableCredentials"]

    /// The kind that the data states, or else the kind that follows from its members.
    ///
    /// AM 6.5 states neither action nor type. There a relying party beside the lists marks WebAuthn data, as in Ping's
    /// SDK for JavaScript.
    private static func kind(_ data: JSONObject) -> Kind? {
        if let kind = data["_action"]?.string.flatMap({ Kind(rawValue: $0) }) { return kind }
        func has(_ name: String) -> Bool { data[name] != nil || data["_" + name] != nil }
        guard data["_type"].map({ $0 == "WebAuthn" }) ?? has("relyingPartyId") else { return nil }
        return has("pubKeyCredParams") ? .registration : allowed.contains(where: has) ? .authentication : nil
    }

    /// Decodes standard base64 or base64url; nil for other text and for no bytes.
    static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = Base64.decode(text) ?? Base64URL.decode(text), !bytes.isEmpty else { return nil }
        return bytes
    }

    /// The host of a relying party, sent bare or as script text: `id: "host",`.
    private static func host(_ text: String) -> String {
        ScriptMembers(text).text("rpId") ?? ScriptMembers(text).text("id")
            ?? (text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") } ? text : "")
    }

    /// The descriptor of a credential whose id is a list of signed bytes; nil without such an id.
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
    /// The options that all forms of a request have in common.
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

        /// The options for the browser, with the defaults of Ping's own programs for absent members.
        ///
        /// Without algorithms it contains -7 and -257, the browsers' own default.
        var json: JSONObject {
            var json = JSONObject()
            let verification = JSONValue.string(userVerification ?? "preferred")
            switch kind {
            case .registration:
                var party: JSONObject = ["name": .string(relyingPartyName)]
                if let relyingPartyID { party["id"] = .string(relyingPartyID) }
                json["rp"] = .object(party)
                // The id is used as text and not decoded, as all clients of AM do.
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
