import BFF
import Basics
import Discovery
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import ProductKit
import SettingsKit

/// A product that no source knows: its flow asks for a name and a PIN, and a PIN of six digits is the stronger sign-in.
struct PinSettings: ProductSettings {
    /// The length of the PIN.
    var digits = 4

    static let settings: [Setting<Self>] = [.init("digits", \.digits, .number(4...6))]

    static var name: ProductName { ProductName(rawValue: "pin") }
    static var clientWords: String { "a client of PINs" }
    static var flowWords: String { "PINs" }
    static var keys: [String] { settings.map(\.key) }
    static var startMembers: StartMemberNames { StartMemberNames(start: ["greeting"]) }
    static var providerKeys: String { "oidc.discovery" }
    static var discoveryKeys: String { "oidc.discovery" }
    static var levelNote: String? { "a PIN has no level" }
    var asksForEachClass: Bool { false }
    var facts: [String] { Self.settings.facts(of: self) }

    func provider(of openID: OpenIDClientSettings) -> String { openID.discovery.text }

    static func read(_ section: Section, _ terms: ReadingTerms) -> ReadProduct? {
        var pin = PinSettings()
        settings.read(section, into: &pin)
        let openID = section.section("oidc").readOpenID(
            discovery: nil, insecure: terms.insecureHTTP, isAM: false)
        let allowed = section.readAllowance { _ in false }
        return openID.map { ReadProduct(pin, openID: $0, allowed: allowed) }
    }

    func makeClient(_ parts: ClientParts) throws(ClientBuildError) -> any FlowClient {
        PinClient(openID: parts.openID.settings, digits: digits, time: parts.time)
    }

    func findings(_ check: LiveCheck, _ metadata: ProviderMetadata?) async -> [LiveFinding] { [] }
}

/// A client that signs in whoever gives a PIN of the right length; its provider is this value.
struct PinClient: FlowClient {
    let openID: OpenIDClientSettings
    let digits: Int
    let time: any TimeSource

    var kind: ProductName { PinSettings.name }

    func check(_ start: StartRequest) throws(BFFError) {
        try start.product.allow(only: PinSettings.startMembers.start)
        _ = try start.product.text("greeting", upTo: 32)
    }

    func facts(of start: StartRequest) -> [String: String] { [:] }

    func start(
        _ start: StartRequest, session: [UInt8]?, _ caller: Caller
    ) async throws(CancellationError) -> SignInOutcome {
        if !start.isForced, let session { return .success(signIn(session, isNew: false)) }
        return .page(PinFlow(client: self, greeting: start.product.values["greeting"]?.string ?? "PIN?"))
    }

    func open(_ position: FlowPosition) throws(FlowPositionError) -> any OpenedFlow {
        PinFlow(client: self, greeting: String(decoding: position, as: UTF8.self))
    }

    func authorize(session: inout [UInt8], _ caller: Caller) async throws(TokenError) -> SignIn {
        throw .sessionEnded
    }

    func endSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {}

    func keepSession(_ session: [UInt8], _ caller: Caller) async throws(TokenError) {}

    func sessionFacts(_ session: [UInt8]) -> JSONObject { ["digits": .number(JSONNumber(Int64(digits)))] }

    /// The session is the user's name.
    func signIn(_ session: [UInt8], isNew: Bool) -> SignIn {
        let now = time.now()
        let tokens = TokenSet(
            accessToken: Secret("pin-\(digits)"), scopes: openID.scopes, issuedAt: now,
            expiresAt: now + .seconds(3600), issuer: openID.issuer ?? "", clientID: openID.clientID,
            subject: String(decoding: session, as: UTF8.self), acr: digits == 6 ? "long" : "short", authTime: now)
        return SignIn(session: session, tokens: tokens, sessionIsNew: isNew)
    }
}

/// The one page of the flow, which is stored by its greeting.
struct PinFlow: OpenedFlow {
    let client: PinClient
    let greeting: String

    var position: FlowPosition { Array(greeting.utf8) }
    var wait: PageWait { .answers }
    var departures: [String: Departure] { [:] }
    var page: ShownPage {
        let questions = ["user", "pin"].map { id -> (id: String, JSONObject) in
            (id, ["id": .string(id), "type": "PinField", "answer": ["type": "string"]])
        }
        return ShownPage(heading: ["greeting": .string(greeting)], "fields", questions)
    }

    func showsSame(as other: any OpenedFlow) -> Bool { (other as? PinFlow)?.greeting == greeting }
    func waitsOn(at other: any OpenedFlow) -> Bool { false }
    func leavesWait(_ answers: PageAnswers) -> Bool { false }
    func userNames(in answers: PageAnswers) -> [String] { answers.values["user"]?.string.map { [$0] } ?? [] }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        guard let user = answers.values["user"]?.string, answers.values["pin"]?.string?.utf8.count == client.digits
        else {
            return .wrong([PageAnswerProblem(id: "pin", code: "wrong-length", message: "The PIN has other digits.")])
        }
        return .right { [client] session, _ throws(CancellationError) in
            .success(client.signIn(Array(user.utf8), isNew: session != Array(user.utf8)))
        }
    }
}
