import Basics
import HTTPCore
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import BFFAPI

/// A browser that binds its sessions to a device with a key in software, as Chromium does.
struct BoundBrowser {
    static let life = Duration.seconds(300)

    let browser: Browser
    let device: SoftwareDevice
    /// The challenge that the server sent last.
    private let challenge = Locked<String>("")

    var fixture: APIFixture { browser.fixture }
    /// The last challenge.
    var lastChallenge: String { challenge.withLock { $0 } }

    init(_ browser: Browser, rsa: Bool = false) throws {
        self.browser = browser
        device = try SoftwareDevice(rsa: rsa)
    }

    /// A browser with a bound session.
    static func signedIn(_ fixture: APIFixture, rsa: Bool = false) async throws -> BoundBrowser {
        let bound = try BoundBrowser(fixture.browser, rsa: rsa)
        try await bound.signIn()
        let answer = await bound.register()
        try #require(answer.status == 200, "\(answer.text)")
        return bound
    }

    /// The name of the binding at `https://app.example.com`.
    var id: String { fixture.api.device?.id ?? "" }

    /// Signs in, and keeps the challenge of the offer.
    @discardableResult
    func signIn() async throws -> Answered {
        let page = await browser.call(.post, "/bff/standard/start", "{}")
        let body = try browser.answers(page, user: "demo", password: FakeProvider.password)
        let done = await browser.call(.post, "/bff/standard/next", body)
        try #require(done["type"] == "success", "\(done.text)")
        let offer = try #require(done.header("secure-session-registration"))
        challenge.withLock { $0 = Self.quoted(offer, after: "challenge=") ?? "" }
        return done
    }

    /// Registers the device; `proof` in place of the one for the last challenge.
    @discardableResult
    func register(_ proof: String? = nil, changing: [String: String?] = [:]) async -> Answered {
        let proof = proof ?? (try? device.register(lastChallenge)) ?? ""
        return await call("/bff/device", ["Secure-Session-Response": proof].merging(changing) { $1 })
    }

    /// Asks for the next device cookie; `proof` in place of the one for the last challenge.
    @discardableResult
    func refresh(_ proof: String? = nil, changing: [String: String?] = [:]) async -> Answered {
        let proof = proof ?? (try? device.prove(lastChallenge)) ?? ""
        let fields: [String: String?] = ["Secure-Session-Response": proof, "Sec-Secure-Session-Id": id]
        return await call("/bff/device/refresh", fields.merging(changing) { $1 })
    }

    /// Sends one of the two calls that browsers make by themselves.
    private func call(_ path: String, _ fields: [String: String?]) async -> Answered {
        let adding = fields.compactMap { name, value in value.map { (name, $0) } }
        let answer = await browser.call(.post, path, changing: ["X-CSRF": nil], adding: adding)
        if let sent = answer.header("secure-session-challenge"), let text = Self.quoted(sent, after: "") {
            challenge.withLock { $0 = text }
        }
        return answer
    }

    /// The device cookie of the browser.
    var deviceCookie: String? {
        get { browser.cookies[APISettings.deviceCookieName] }
        nonmutating set { browser.cookies[APISettings.deviceCookieName] = newValue }
    }

    /// Another browser with copies of these cookies.
    func copied(_ names: String...) -> Browser {
        let thief = fixture.browser
        thief.cookies = browser.cookies.filter { names.contains($0.key) }
        return thief
    }

    private static func quoted(_ text: String, after mark: String) -> String? {
        let rest = text.split(separator: mark + "\"", maxSplits: 1, omittingEmptySubsequences: false).last ?? ""
        return rest.split(separator: "\"").first.map { String($0) }
    }
}

extension APIFixture {
    /// The API with sessions that are bound to devices.
    static func binding(routes: [RouteSettings] = []) throws -> APIFixture {
        try APIFixture(routes: routes, devices: BoundBrowser.life)
    }
}
