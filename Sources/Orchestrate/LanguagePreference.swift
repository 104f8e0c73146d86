/// The languages a flow asks its provider for, added to the browser's or in place of them.
public struct LanguagePreference: Sendable, Equatable {
    /// How preferred languages combine with the browser's, in the words of Ping's SDKs.
    public enum Mode: String, Sendable, CaseIterable {
        /// The preferred languages come before the browser's.
        case append
        /// The browser's languages are left out.
        case override
    }

    /// How `values` combine with the browser's languages.
    public var mode: Mode
    /// Language tags, best first; if empty, the browser's languages are used unchanged.
    public var values: [String]

    /// Makes a preference; without values it prefers no language.
    public init(mode: Mode = .append, _ values: [String] = []) {
        self.mode = mode
        self.values = values
    }

    /// The languages of a flow, given those of its browser.
    ///
    /// In mode `.append` both lists, each language once; in mode `.override` the preferred ones alone. Without
    /// preferred languages, the browser's.
    package func applied(to languages: [String]) -> [String] {
        guard !values.isEmpty else { return languages }
        guard mode == .append else { return values }
        let before = Set(values.map { $0.lowercased() })
        return values + languages.filter { !before.contains($0.lowercased()) }
    }
}
