internal import BFF
internal import Basics
internal import HTTPCore
internal import SettingsKit

extension ClientSettings {
    /// The keys of a client's section that clients of all products have, besides those that a product reads.
    package static let settings: [Setting<Self>] = [
        .init("timeout", fact: { "\($0.timeout) \($0.stepTimeout ?? $0.timeout)" }) { section in
            let timeout = section.value("timeout", .duration(.seconds(1) ... .seconds(300)))
            return { client in
                guard let timeout else { return }
                client.timeout = timeout
                client.stepTimeout = nil
            }
        },
        .init("refreshThreshold", \.refreshThreshold, .duration(.zero ... .seconds(600))),
        .init("sessionStorage", \.sessionStorage, .name),
        .init("tokenStorage", \.tokenStorage, .name),
        .init("limits", section: \.limits, of: ClientLimits(), ClientLimits.settings) { section, limits in
            guard let idle = limits.idle, let absolute = limits.absolute, idle > absolute else { return }
            let most = ValueForm<Duration>.text(absolute)
            section.context.report(section.key("idle"), "expected no more than limits.absolute, \(most)")
        },
        .init("insecureLimits", \.insecureLimits, .flag),
        .init("minimum", \.minimum, .name),
        .init("linkHosts", list: \.linkHosts, .linkHost),
        .init("webAuthn", section: \.webAuthn, of: WebAuthnSettings(), WebAuthnSettings.settings) { section, webAuthn in
            guard webAuthn.insecureChallenge else { return }
            let key = section.key("insecureChallenge")
            section.context.refuse(
                key, "scripts of the page can read a provider session that is a challenge", unless: true, key)
        },
    ]
}

extension ClientLimits {
    fileprivate static let settings: [Setting<Self>] = [
        .init("idle", \.idle, .duration(.seconds(10) ... .seconds(86_400))),
        .init("absolute", \.absolute, .duration(.seconds(10) ... .seconds(30 * 86_400))),
    ]
}

extension WebAuthnSettings {
    fileprivate static let settings: [Setting<Self>] = [
        .init("origins", list: \.origins, .credentialOrigin),
        .init("rpIds", list: \.relyingPartyIDs, .relyingParty),
        .init("insecureChallenge", \.insecureChallenge, .flag),
    ]
}

extension ValueForm where Value == String {
    /// A host to which pages of the provider may send users.
    fileprivate static var linkHost: Self {
        ValueForm(expected: "a host like accounts.example.com or accounts.example.com:8443") { text in
            LinkHosts.authority(text) == nil ? nil : text
        }
    }

    /// An origin of pages that may use credentials: browsers allow that for https and for this machine only.
    fileprivate static var credentialOrigin: Self {
        ValueForm(expected: "an origin like https://app.example.com, without a path") { text in
            guard let url = WebURL(text), url.origin.isSameText(as: text) else { return nil }
            return url.scheme == .https || url.isLoopback ? text : nil
        }
    }

    /// The id of a WebAuthn relying party.
    fileprivate static var relyingParty: Self {
        ValueForm(expected: "a host like example.com") { text in
            guard let url = WebURL("https://" + text), url.host.isSameText(as: text),
                text.utf8.allSatisfy({ $0.isWordByte || $0 == UInt8(ascii: ".") })
            else { return nil }
            return text
        }
    }
}
