import BFF
import Basics
import ResourceServer
import SettingsKit
import Testing

@testable import Cloakroom

@Suite("The settings of sessions that are bound to devices")
struct DeviceSettingsTests {
    /// The good text with lines for the session, and another requirement for the route.
    private func text(session: String, requirement: String? = nil) -> String {
        var text = StepUpText.replacing("clients:\n", "session: { \(session) }\nclients:\n")
        if let requirement {
            text = text.replacing("challengeAcr: gold }\n", with: "challengeAcr: gold }\n  held: { \(requirement) }\n")
        }
        return text
    }

    @Test("are off, or have a life between three and fifteen minutes")
    func life() throws {
        func cookie(_ session: String) throws -> Duration? {
            try StepUpText.read(text(session: session)).settings.sessions.deviceCookie
        }
        #expect(try cookie("idle: 30m") == nil)
        #expect(try cookie("deviceBinding: off") == nil)
        #expect(try cookie("deviceBinding: off, deviceCookie: 3m") == nil)
        #expect(try cookie("deviceBinding: offer") == .seconds(300))
        #expect(try cookie("deviceBinding: offer, deviceCookie: 15m") == .seconds(900))
        for wrong in ["deviceBinding: require", "deviceBinding: offer, deviceCookie: 2m", "deviceCookie: 16m"] {
            #expect(StepUpText.problems(text(session: wrong)).count == 1, "\(wrong)")
        }
    }

    @Test("are refused without https")
    func plain() {
        let good = text(session: "deviceBinding: offer")
        #expect(StepUpText.problems(good) == [])
        let plain = good.replacing(
            "publicUrl: https://app.example.com", with: "publicUrl: http://localhost:8080, insecureHttp: true"
        ).replacing("https://app.example.com", with: "http://localhost:8080")
        let told = StepUpText.problems(plain).filter { $0.contains("session.deviceBinding") }
        #expect(told.count == 1 && told.first?.contains("plain http") == true)
        let off = plain.replacing("deviceBinding: offer", with: "deviceBinding: off")
        #expect(StepUpText.problems(off).allSatisfy { !$0.contains("deviceBinding") })
    }

    @Test("are refused with further hosts, where browsers would prove nothing")
    func hosts() {
        let good = text(session: "deviceBinding: offer")
        let host = good.replacing(
            "publicUrl: https://app.example.com", with: "publicUrl: https://app.example.com, hosts: [b.example.com]")
        #expect(host != good)
        let told = StepUpText.problems(host)
        #expect(told.count == 1 && told.first?.contains("server.hosts") == true)
    }

    @Test("are needed where a requirement asks for a device")
    func requirement() throws {
        let good = text(session: "deviceBinding: offer", requirement: "device: bound")
        let held = try StepUpText.read(good).settings.requirements.first { $0.name == "held" }
        #expect(held?.needsBoundDevice == true && held?.asksForNothing == false)
        let without = StepUpText.problems(text(session: "idle: 30m", requirement: "device: bound"))
        #expect(without.count == 1 && without.first?.contains("requirements.held.device: nobody can meet it") == true)
        let unknown = StepUpText.problems(text(session: "deviceBinding: offer", requirement: "device: yes"))
        #expect(unknown.contains { $0.contains("requirements.held.device") })
    }

    @Test("let no client have a minimum of a bound device, because sign-ins come first")
    func minimum() {
        let text = text(session: "deviceBinding: offer")
            .replacing("authLevel: 3,", with: "authLevel: 3, device: bound,")
        let told = StepUpText.problems(text)
        #expect(told.count == 1 && told.first?.contains("clients.transaction.minimum") == true)
    }

    @Test("tell a requirement of a bound device from one without")
    func implies() {
        let plain = Requirement(name: "plain", scopes: ["WRITE"])
        var held = plain
        held.needsBoundDevice = true
        #expect(held.implies(plain) && !plain.implies(held) && held.implies(held))
    }
}
