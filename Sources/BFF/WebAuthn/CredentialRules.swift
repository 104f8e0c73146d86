internal import Basics
internal import Cryptography
package import JSON

/// The rules that a browser's credential has to keep before it goes to a provider (Web Authentication Level 3).
///
/// It has to be made for this challenge, on a page of ours, for the relying party that was asked for. The provider
/// checks the signature, because only the provider has the keys.
package struct CredentialRules: Sendable {
    /// The origins of pages that may ask browsers for credentials, each as browsers write it, with its host.
    private let origins: [(text: String, host: String)]
    /// The ids of relying parties that are allowed besides those that follow from the hosts.
    private let relyingParties: [String]

    /// True if browsers see a challenge that is the provider session.
    package let showsSessions: Bool

    /// Makes rules for pages of some origins.
    ///
    /// - Parameters:
    ///   - origins: The origins as browsers write them, each with its host.
    ///   - relyingParties: Ids of relying parties that are allowed although no host is within them, as browsers allow
    ///     for related origins.
    ///   - showsSessions: True if browsers see a challenge that is the provider session.
    package init(origins: [(text: String, host: String)], relyingParties: [String], showsSessions: Bool = false) {
        self.origins = origins
        self.relyingParties = relyingParties
        self.showsSessions = showsSessions
    }

    /// The relying party that options for a credential name; nil for the host of the page itself.
    package static func relyingParty(_ options: JSONObject) -> String? {
        (options["rp"]?["id"] ?? options["rpId"])?.string
    }

    /// True if some page of ours can have credentials of a relying party.
    ///
    /// The id has to be a host of ours or a suffix of such a host after a dot, or else a related id of the settings;
    /// nil means the host of the page itself.
    package func accepts(relyingParty id: String?) -> Bool {
        guard let id else { return true }
        // rule: a relying party is one of ours | true
        return isRelated(id) || origins.contains { Self.isWithin($0.host, id) }
    }

    private func isRelated(_ id: String) -> Bool { relyingParties.contains { $0.isSameText(as: id) } }

    private static func isWithin(_ host: String, _ id: String) -> Bool {
        host.isSameText(as: id) || host.ends(withText: "." + id)
    }

    /// The first problem of a credential; nil when the provider may see it.
    ///
    /// - Parameters:
    ///   - credential: The credential as `PublicKeyCredential.toJSON()` gives it.
    ///   - options: The options that the browser was asked with, as `parseCreationOptionsFromJSON` or
    ///     `parseRequestOptionsFromJSON` takes them; only creation options have `rp`.
    /// - Returns: The first problem.
    package func problem(with credential: JSONValue, for options: JSONObject) -> CredentialProblem? {
        let isRegistration = options["rp"] != nil
        // rule: a credential has one id
        guard let id = Self.bytes(credential["id"]), !id.isEmpty, Self.bytes(credential["rawId"]) == id,
            // rule: a credential is of a public key
            credential["type"] == "public-key", let response = credential["response"],
            let client = Self.bytes(response["clientDataJSON"]).flatMap({ try? JSONValue(parsing: $0) }),
            // rule: a credential is of the kind that was asked for
            client["type"] == (isRegistration ? "webauthn.create" : "webauthn.get"),
            let data = Self.authenticatorData(response, isRegistration), data.count >= 37
        else { return .wrongType }
        // rule: a credential is made for this challenge
        guard let challenge = Self.bytes(options["challenge"]), Self.bytes(client["challenge"]) == challenge else {
            return .wrongChallenge
        }
        guard let page = client["origin"]?.string,
            let origin = origins.first(where: { $0.text.isSameText(as: page) }),
            // rule: a credential is not made in a frame of another site
            (client["crossOrigin"] ?? false) == false
        else { return .wrongOrigin }
        let relyingParty = (isRegistration ? options["rp"]?["id"] : options["rpId"])?.string
        let asked = relyingParty ?? origin.host
        // Another page of ours does not count: the credential was made on this one.
        // rule: a credential is for a relying party of its page
        guard Self.isWithin(origin.host, asked) || isRelated(asked),
            // rule: a credential is for the relying party that was asked for
            data.prefix(32).elementsEqual(Digest.hash(utf8: asked))
        else { return .wrongRelyingParty }
        let allowed = options["allowCredentials"]?.array ?? []
        // rule: a credential is one of those that were asked for | nil
        return allowed.isEmpty || allowed.contains { Self.bytes($0["id"]) == id } ? nil : .notOffered
    }

    /// The authenticator data of a response; at a registration it is a member of the attestation object.
    private static func authenticatorData(_ response: JSONValue, _ isRegistration: Bool) -> ArraySlice<UInt8>? {
        guard isRegistration else { return bytes(response["authenticatorData"])?[...] }
        return bytes(response["attestationObject"]).flatMap { CBORReader.byteString("authData", inMap: $0[...]) }
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? { json?.string.flatMap { Base64URL.decode($0) } }
}

/// The reason why a credential is not given to the provider; browsers are told the raw value.
package enum CredentialProblem: String, Sendable {
    /// The value is no credential, or a credential of the other kind.
    case wrongType = "wrong-type"
    /// The credential was made for another challenge.
    case wrongChallenge = "wrong-challenge"
    /// The credential was made on a page that is not ours, or within a frame of another site.
    case wrongOrigin = "wrong-origin"
    /// The credential was made for another relying party, or for one that no page of ours can stand for.
    case wrongRelyingParty = "wrong-relying-party"
    /// The credential is none of those that were asked for.
    case notOffered = "not-offered"

    /// A sentence for the developer.
    package var message: String {
        switch self {
        case .wrongType: "the credential is none of the kind that was asked for"
        case .wrongChallenge: "the credential was made for another challenge"
        case .wrongOrigin: "the credential was made on a page of another origin"
        case .wrongRelyingParty: "the credential is of another relying party"
        case .notOffered: "the credential is none of those that were asked for"
        }
    }
}
