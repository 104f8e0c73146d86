/// Which languages a flow asks its provider for, besides or in place of the browser's.
public struct LanguagePreference: Sendable, Equatable {
    /// What becomes of the browser's languages; the words of Ping's SDKs.
    public enum Mode: String, Sendable, CaseIterable {
        /// They stand behind those of the preference.
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

    /// The languages of a flow whose browser asks for these.
    package func applied(to languages: [String]) -> [String] {
        guard !values.isEmpty else { return languages }
        guard mode == .append else { return values }
        let own = Set(values.map { $0.lowercased() })
        return values + languages.filter { !own.contains($0.lowercased()) }
    }
}
