package import Basics
internal import HTTPCore
package import JOSE
internal import OpenIDConnect
internal import SettingsKit

extension OpenIDClientSettings {
    /// The keys of a registration that have defaults.
    static let settings: [Setting<Self>] = [
        .init("acrValues", list: \.acrValues, .word("an acr value without spaces")),
        .init("algorithms", fact: { "\(($0.algorithms.map(\.rawValue) + $0.macAlgorithms.map(\.rawValue)).sorted())" })
        {
            section in
            let algorithms = section.someOf("algorithms", .idTokenAlgorithm)
            return { registration in
                guard let algorithms else { return }
                registration.algorithms = Set(algorithms.compactMap(\.signature))
                registration.macAlgorithms = Set(algorithms.compactMap(\.mac))
            }
        },
        .init("leeway", \.leeway, .duration(.zero ... .seconds(300))),
        .init("endpointOrigins", fact: { "\($0.endpointOrigins.sorted())" }) { section in
            let origins = section.list("endpointOrigins", .origin)
            return { registration in if let origins { registration.endpointOrigins = Set(origins) } }
        },
        .init("defaultLifetime", \.defaultLifetime, .duration(.seconds(10) ... .seconds(86_400))),
        .init("parameters", fact: { "\($0.parameters.sorted { $0.key < $1.key }.map { [$0.key, $0.value] })" }) {
            section in
            let parameters = section.texts(
                "parameters", named: .authorizationParameter, .text("a text of up to 1024 bytes", bytes: 1...1024))
            return { $0.parameters = parameters }
        },
        .init("par", \.par, .flag),
    ]

    /// The keys that only a client of an AM has.
    static let settingsOfAM: [Setting<Self>] = [
        .init("consent", \.grantsConsent, .choice(["refuse": false, "grant": true]))
    ]
}

extension ValueForm where Value == String {
    /// A parameter of the authorization request that neither the client nor a start sets, and that leaves the provider
    /// session unchanged.
    ///
    /// Names are compared without case, because a server may do so.
    fileprivate static var authorizationParameter: Self {
        ValueForm(expected: "a parameter that the client does not set itself") { text in
            let reserved = OpenIDClientSettings.reservedParameters.union(["ui_locales", "prompt", "max_age"])
            return reserved.contains(text.lowercased()) ? nil : word("").parse(text)
        }
    }

    /// An origin, letter by letter as browsers write it.
    package static var origin: Self {
        ValueForm(expected: "an origin like https://login.example.com") { text in
            WebURL(text).flatMap { $0.origin == text ? text : nil }
        }
    }
}

extension ValueForm {
    /// The algorithm of a signature.
    package static func algorithm() -> ValueForm<JWSAlgorithm> where Value == JWSAlgorithm {
        ValueForm<JWSAlgorithm>(expected: "one of " + JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")) {
            JWSAlgorithm(rawValue: $0)
        }
    }
}

/// The protection of an ID token: a signature or, where the list names it, a MAC with the client secret.
private struct IDTokenAlgorithm: Sendable {
    let signature: JWSAlgorithm?
    let mac: MACAlgorithm?
}

extension ValueForm where Value == IDTokenAlgorithm {
    fileprivate static var idTokenAlgorithm: Self {
        let names = JWSAlgorithm.allCases.map(\.rawValue) + MACAlgorithm.allCases.map(\.rawValue)
        return ValueForm(expected: "one of " + names.joined(separator: ", ")) { text in
            let algorithm = IDTokenAlgorithm(
                signature: JWSAlgorithm(rawValue: text), mac: MACAlgorithm(rawValue: text))
            return algorithm.signature == nil && algorithm.mac == nil ? nil : algorithm
        }
    }
}
