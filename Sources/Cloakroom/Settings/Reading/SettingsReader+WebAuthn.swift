internal import Basics
internal import HTTPCore
internal import ProductKit
internal import SettingsKit

extension SettingsReader {
    /// Reads `webAuthn` of a client.
    func readWebAuthn(_ section: Section) -> WebAuthnSettings {
        var settings = WebAuthnSettings()
        // Browsers allow credentials for https and for this machine only.
        let origin = ValueForm<String>(expected: "an origin like https://app.example.com, without a path") { text in
            guard let url = WebURL(text), url.origin.isSameText(as: text) else { return nil }
            return url.scheme == .https || url.isLoopback ? text : nil
        }
        let relyingParty = ValueForm<String>(expected: "a host like example.com") { text in
            guard let url = WebURL("https://" + text), url.host.isSameText(as: text),
                text.utf8.allSatisfy({ $0.isWordByte || $0 == UInt8(ascii: ".") })
            else { return nil }
            return text
        }
        settings.origins = section.list("origins", origin) ?? []
        settings.relyingPartyIDs = section.list("rpIds", relyingParty) ?? []
        section.read("insecureChallenge", .flag, into: &settings.insecureChallenge)
        if settings.insecureChallenge {
            let key = section.key("insecureChallenge")
            context.refuse(
                key, "scripts of the page can read a provider session that is a challenge", unless: true, key)
        }
        section.finish()
        return settings
    }
}
