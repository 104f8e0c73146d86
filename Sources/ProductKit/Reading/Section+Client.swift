package import BFF
package import Basics
internal import HTTPCore
package import Orchestrate
package import SettingsKit

extension Section {
    /// Reads the parameters and acr values that a start may ask for; `isTaken` names the parameters that the client sets
    /// itself.
    package func readAllowance(except isTaken: @escaping @Sendable (String) -> Bool) -> StartAllowance {
        let parameter = ValueForm<String>(expected: "a name that the client does not set itself") { text in
            isTaken(text) || ValueForm.word("").parse(text) == nil ? nil : text
        }
        return StartAllowance(
            parameters: Set(list("parameters", parameter) ?? []),
            acrValues: Set(list("acrValues", .word("an acr value without spaces")) ?? []))
    }
}

extension ValueForm where Value == String {
    /// The platform that calls name.
    package static var platform: Self { .word("a platform without spaces") }
}

extension Setting {
    /// Declares `languages`, the languages that the provider is asked for.
    package static func languages(_ path: any (WritableKeyPath<Root, LanguagePreference> & Sendable)) -> Setting {
        let tag = ValueForm<String>(expected: "a language tag, like fr-CH") { AcceptLanguage.isTag($0) ? $0 : nil }
        let own: [Setting<LanguagePreference>] = [
            .init("mode", \.mode, .anyCase), .init("values", list: \.values, tag, isFilled: true),
        ]
        return Setting("languages", section: path, of: LanguagePreference(), own) { section, _ in
            if section.exists, !section.contains("values") {
                section.context.report(
                    section.key("values"), line: section.line, "is missing; expected language tags")
            }
        }
    }
}
