import Cloakroom
import Logs
import Testing

@Suite("The log settings make a logger")
struct LogSettingsTests {
    @Test("with their level, for a label", arguments: Logger.Level.allCases)
    func level(level: Logger.Level) {
        var settings = LogSettings()
        #expect(settings.logger("cloakroom").logLevel == .info)
        settings.level = level
        let logger = settings.logger("other")
        #expect(logger.logLevel == level && logger.label == "other")
    }
}
