import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import JSON
import OpenIDConnect
import ProductKit
import ResourceServer
import SettingsKit
import TestSupport
import Testing

@Suite("A product that no source knows")
struct ThirdProductTests {
    private static let requirement = Requirement(
        name: "long-pin", acr: .anyOf(["long"]), maxAge: .age(.seconds(300)), stepUp: "transaction",
        challengeACR: "long")

    /// Two clients of the product, and an API that demands the longer PIN.
    private static func options(_ upstream: String) -> Bench.Options {
        var options = Bench.Options()
        options.adjust = { settings, _ in
            let openID = settings.clients[0].openID
            var strong = ClientSettings(
                name: "transaction", product: PinSettings(digits: 6), openID: openID, tokenStorage: "transaction")
            strong.minimum = requirement.name
            strong.limits = ClientLimits(absolute: .seconds(300))
            settings.clients = [
                ClientSettings(name: "standard", product: PinSettings(), openID: openID), strong,
            ]
            settings.requirements = [requirement]
            settings.routes = [
                RouteSettings(
                    path: "/api/transfers", upstream: try #require(WebURL(upstream)), methods: [.post],
                    route: RouteDefinition(
                        id: "transfers", clients: ["standard", "transaction"],
                        demand: .requirement(requirement.name)))
            ]
        }
        return options
    }

    private func answer(_ browser: Browser, _ page: Browser.Answer, _ pin: String, _ instance: String) async throws
        -> Browser.Answer
    {
        let values: JSONObject = ["user": "ada", "pin": .string(pin)]
        return try await browser.call(
            .post, "/bff/\(instance)/next",
            [
                "flow": try #require(page["flow"]), "step": try #require(page["step"]), "values": .object(values),
            ])
    }

    @Test func `signs in, steps up and signs out over REST`() async throws {
        let api = try ScriptedPeer { connection in
            while connection.readRequest() != nil {
                connection.write("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            }
        }
        defer { api.stop() }
        try await withBench(Self.options(api.origin + "/transfers")) { bench in
            let browser = bench.browser()
            #expect(try await browser.start("standard", ["journey": "Login"])["type"] == "/problems/not-allowed")
            let page = try await browser.start("standard", ["greeting": "Hello"])
            #expect(page["kind"] == "pin" && page["greeting"] == "Hello" && page["fields.0.id"] == "user")
            #expect(try await answer(browser, page, "123", "standard")["type"] == "/problems/invalid-answers")
            let signedIn = try await answer(browser, page, "1234", "standard")
            #expect(signedIn["user.subject"] == "ada" && signedIn["user.session.digits"] == 4)

            let refused = try await browser.call(.post, "/api/transfers", [:])
            #expect(refused.status == 403 && refused["type"] == "/problems/step-up-required")
            let strong = try await browser.startStepUp(refused)
            #expect(strong["greeting"] == "PIN?")
            #expect(try await answer(browser, strong, "123456", "transaction")["signedIn"] == true)
            #expect(try await browser.call(.post, "/api/transfers", [:]).status == 201)
            #expect(api.requests.map { $0.values("authorization") } == [["Bearer pin-6"]])

            #expect(try await browser.call(.post, "/bff/logout").status == 204)
            #expect(try await browser.user().status == 401)
            #expect(try await browser.call(.post, "/api/transfers", [:]).status == 401)
            await bench.settled()
        }
    }

    @Test func `is configured by a file, and its keys are reported where another product has them`() throws {
        let pin = """
            server: { publicUrl: https://app.example.com, trustedPeers: [] }
            session: { store: memory }
            clients:
              desk:
                type: pin
                digits: 6
                oidc:
                  clientId: c
                  clientAuthentication: none
                  scopes: openid
                  redirectUri: https://app.example.com/callback
                  discovery: https://op.example.com/.well-known/openid-configuration

            """
        let read = try Self.read(pin)
        #expect(read.clients.first?.product as? PinSettings == PinSettings(digits: 6))
        #expect(
            read.clients.first?.fingerprint != (try Self.read(pin.replacing("6", with: "5"))).clients.first?.fingerprint
        )
        #expect(Self.problems(pin.replacing("digits: 6", with: "digits: 9")) == ["clients.desk.digits"])
        #expect(Self.problems(pin.replacing("digits: 6", with: "realm: alpha")) == ["clients.desk.realm"])
        #expect(Self.problems(pin.replacing("type: pin", with: "type: davinci")) == ["clients.desk.digits"])
    }

    private static func read(_ text: String) throws -> Settings {
        let folder = try TemporaryFolder()
        var source = SettingsSource(path: try folder.write(text, to: "cloakroom.yaml"), environment: [:])
        source.products.append(PinSettings.self)
        return try source.read().settings
    }

    private static func problems(_ text: String) -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as SettingsError {
            return error.problems.map(\.key)
        } catch {
            return ["\(error)"]
        }
    }
}
