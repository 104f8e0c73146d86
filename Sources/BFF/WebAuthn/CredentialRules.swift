internal import Basics
internal import Cryptography
package import JSON

/// What a browser's credential has to be before a provider is given it (Web Authentication Level 3):
/// made for this challenge, on a page of ours, for the relying party that was asked for.
///
/// Signatures are the provider's to check, which alone has the keys.
package struct CredentialRules: Sendable {
    /// Pages that may ask browsers for credentials, each as browsers write an origin, with its host.
    private let origins: [(text: String, host: String)]
    /// Relying parties beside those that follow from the hosts.
    private let relyingParties: [String]

    /// Whether browsers see a challenge that is the provider session.
    package let showsSessions: Bool

    /// Rules for pages of some origins.
    ///
    /// - Parameters:
    ///   - origins: The origins as browsers write them, each with its host.
    ///   - relyingParties: Ids of relying parties that are good though no host is within them, as browsers allow for related
    ///     origins.
    ///   - showsSessions: Whether browsers see a challenge that is the provider session.
    package init(origins: [(text: String, host: String)], relyingParties: [String], showsSessions: Bool = false) {
        self.origins = origins
        self.relyingParties = relyingParties
        self.showsSessions = showsSessions
    }

    /// Whether some page of ours can have credentials of a relying party: its id is a host of ours, or what such a host ends
    /// with at a dot; nil is the host of the page itself.
    package func accepts(relyingParty id: String?) -> Bool {
        guard let id else { return true }
        // rule: a relying party is one of ours | true
        return isRelated(id) || origins.contains { Self.isWithin($0.host, id) }
    }

    private func isRelated(_ id: String) -> Bool { relyingParties.contains { $0.isSameText(as: id) } }

    private static func isWithin(_ host: String, _ id: String) -> Bool {
        host.isSameText(as: id) || host.ends(withText: "." + id)
    }

    /// What is wrong with a credential; nil when the provider may see it.
    ///
    /// - Parameters:
    ///   - credential: The credential as `PublicKeyCredential.toJSON()` gives it.
    ///   - options: What was asked for, as `parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` takes it; the first
    ///     has `rp`.
    /// - Returns: The first fault.
    package func fault(of credential: JSONValue, for options: JSONObject) -> CredentialFault? {
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
        // Another page of ours is not this one.
        // rule: a credential is for a relying party of its page
        guard Self.isWithin(origin.host, asked) || isRelated(asked),
            // rule: a credential is for the relying party that was asked for
            data.prefix(32).elementsEqual(Digest.hash(utf8: asked))
        else { return .wrongRelyingParty }
        let allowed = options["allowCredentials"]?.array ?? []
        // rule: a credential is one of those that were asked for | nil
        return allowed.isEmpty || allowed.contains { Self.bytes($0["id"]) == id } ? nil : .notOffered
    }

    /// What the authenticator says of itself; at a registration it is within the attestation.
    private static func authenticatorData(_ response: JSONValue, _ isRegistration: Bool) -> ArraySlice<UInt8>? {
        guard isRegistration else { return bytes(response["authenticatorData"])?[...] }
        return bytes(response["attestationObject"]).flatMap { CBORReader.byteString("authData", inMap: $0[...]) }
    }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? { json?.string.flatMap { Base64URL.decode($0) } }
}

/// Why a credential is not given to the provider; the word is what browsers are told.
package enum CredentialFault: String, Sendable {
    /// No credential at all, or one of the other kind.
    case wrongType = "wrong-type"
    /// Made for another question.
    case wrongChallenge = "wrong-challenge"
    /// Made on a page that is not ours, or within a frame of another.
    case wrongOrigin = "wrong-origin"
    /// Made for another relying party, or for one that no page of ours can stand for.
    case wrongRelyingParty = "wrong-relying-party"
    /// None of those that were asked for.
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
