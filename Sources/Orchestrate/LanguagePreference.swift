/// Which languages a flow asks its provider for, besides or in place of the browser's.
public struct LanguagePreference: Sendable, Equatable {
    /// What becomes of the browser's languages; the words of Ping's SDKs.
    public enum Mode: String, Sendable, CaseIterable {
        /// Those of the preference are added before the browser's.
        case append
        /// They are left out.
        case override
    }

    /// What becomes of the browser's languages.
    public var mode: Mode
    /// Language tags, best first; none leaves the browser's as they are.
    public var values: [String]

    /// Prefers no language unless some are given.
    public init(mode: Mode = .append, _ values: [String] = []) {
        self.mode = mode
        self.values = values
    }

    /// The languages of a flow whose browser asks for these: both lists, each language once, or those of the preference alone;
    /// where there are none, the browser's.
    package func applied(to languages: [String]) -> [String] {
        guard !values.isEmpty else { return languages }
        guard mode == .append else { return values }
        let before = Set(values.map { $0.lowercased() })
        return values + languages.filter { !before.contains($0.lowercased()) }
    }
}
