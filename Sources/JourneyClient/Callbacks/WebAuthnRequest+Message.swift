internal import Basics
internal import JSON

extension WebAuthnRequest {
    /// Reads the options that OpenAM sends in a message, as JSON with bytes in base64.
    ///
    /// The result is nil for any other message.
    init?(message: String) {
        guard message.utf8.first == UInt8(ascii: "{"), let json = try? JSONValue(parsing: message),
            let challenge = json["challenge"]?["value"]?.string.flatMap({ Self.bytes($0) }),
            let kind: Kind = json["user"] != nil ? .registration : json["rpId"] != nil ? .authentication : nil
        else { return nil }
        func text(_ value: JSONValue?) -> String { value?.string ?? "" }
        var options = Options(kind: kind, challenge: challenge)
        options.relyingPartyID = (json["rpId"] ?? json["rp"]?["id"])?.string
        options.relyingPartyName = text(json["rp"]?["name"])
        let user = json["user"]
        options.userID = Self.bytes(text(user?["id"])).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
        (options.userName, options.displayName) = (text(user?["name"]), text(user?["displayName"]))
        options.parameters = json["pubKeyCredParams"]?.array ?? []
        options.credentials = ((json["excludeCredentials"] ?? json["allowCredentials"])?.array ?? []).compactMap {
            credential in Self.bytes(text(credential["id"])).map { Self.descriptor($0, credential["transports"]) }
        }
        options.selection = json["authenticatorSelection"]?.object ?? [:]
        options.attestation = text(json["attestation"])
        options.timeout = json["timeout"]?.int
        options.userVerification = json["userVerification"]?.string
        self.init(options, form: .members)
    }

    /// True if a message may contain WebAuthn options, even if this client cannot parse them.
    ///
    /// Other parsers may accept what ours refuses, such as a repeated member or text after the JSON.
    static func hasChallenge(_ message: String) -> Bool {
        let first = message.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        guard first == "{" else { return false }
        return message.firstRange(ofText: #""challenge""#) != nil
            || (try? JSONValue(parsing: message))?["challenge"] != nil
    }

    /// The positions on the page of the callbacks that the answer fills.
    func places(on page: CallbackPage) -> [Int] {
        form == .members ? page.passwords : Array(Self.place.siblings(on: page).values)
    }
}
