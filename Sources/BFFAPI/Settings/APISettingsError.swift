/// A problem of one setting of the API.
package struct APISettingsError: Error, Sendable, Equatable {
    /// The setting's key in the configuration, `server.publicUrl`.
    package let setting: String
    /// The expected value, as the end of a sentence: `expected …`.
    package let expected: String

    /// Makes a problem of a setting.
    ///
    /// - Parameters:
    ///   - setting: The key.
    ///   - expected: `expected …`.
    package init(setting: String, expected: String) {
        self.setting = setting
        self.expected = expected
    }

    init(_ setting: String, _ expected: String) {
        self.setting = setting
        self.expected = expected
    }
}
