import Foundation
import Testing

@testable import Arguments

@Suite("The environment")
struct EnvironmentTests {
    @Test func `has every variable of the process, none repaired`() {
        setenv("CLOAKROOM_TEST_ONE", "a=b", 1)
        setenv("CLOAKROOM_TEST_EMPTY", "", 1)
        setenv("CLOAKROOM_TEST_BROKEN", [CChar(bitPattern: 0xFF), 0], 1)
        let variables = ProcessEnvironment.variables()
        #expect(variables["CLOAKROOM_TEST_ONE"] == "a=b" && ProcessEnvironment.value("CLOAKROOM_TEST_ONE") == "a=b")
        #expect(variables["CLOAKROOM_TEST_EMPTY"] == "" && ProcessEnvironment.value("CLOAKROOM_TEST_EMPTY") == "")
        #expect(variables["CLOAKROOM_TEST_BROKEN"] == nil && ProcessEnvironment.value("CLOAKROOM_TEST_BROKEN") == nil)
        #expect(variables["CLOAKROOM_TEST_NONE"] == nil && ProcessEnvironment.value("CLOAKROOM_TEST_NONE") == nil)
        #expect(variables["PATH"] == ProcessInfo.processInfo.environment["PATH"])
        for name in ["ONE", "EMPTY", "BROKEN"] { unsetenv("CLOAKROOM_TEST_" + name) }
    }
}
