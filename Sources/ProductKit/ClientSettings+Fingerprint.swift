internal import BFF
internal import Cryptography
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import OpenIDConnect

extension ClientSettings {
    /// A digest of the settings, equal in every process; a flow continues only with the settings under which it began.
    ///
    /// 16 bytes, without secrets, so that a secret may change while a flow is in progress.
    package var fingerprint: [UInt8] {
        let all = facts + [type(of: product).name.rawValue] + product.facts + openID.facts
        // With their lengths, so that different lists of texts never give the same digest.
        let text = all.map { "\($0.utf8.count):\($0)" }.joined()
        return Array(Digest.hash(Array(text.utf8)).prefix(16))
    }

    private var facts: [String] {
        [
            name, "\(insecureHTTP)", "\(keepsSession)", "\(allowed.parameters.sorted())",
            "\(allowed.acrValues.sorted())", "\(allowed.prompts.sorted())",
        ] + Self.settings.facts(of: self)
    }
}

extension OpenIDClientSettings {
    fileprivate var facts: [String] {
        [
            discovery.text, issuer ?? "", clientID, authentication.method, "\(scopes)", redirectURI,
            "\(insecureHTTP)", endpoints.revocation?.text ?? "", endpoints.introspection?.text ?? "",
            endpoints.endSession?.text ?? "", "\(endpoints.isAM)",
            // The place of a fact that is none any more: without it no flow would outlive an upgrade.
            "false",
        ] + (Self.settings + Self.settingsOfAM).facts(of: self)
    }
}

extension ClientAuthentication {
    /// The method of client authentication, without the secret.
    fileprivate var method: String {
        switch self {
        case .basic: "basic"
        case .basicRaw: "basic-raw"
        case .post: "post"
        case .none: "none"
        }
    }
}
