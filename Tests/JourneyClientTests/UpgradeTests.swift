import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// What an AM says that reads the session to upgrade from the address alone.
@Suite("A session that shall be upgraded")
struct UpgradeTests {
    private let am: ScriptedAM
    private let desk = Desk()
    private static let session = "AQIC5w-canary.*AAJTSQ*"
    private static let encoded = "AQIC5w-canary.%2AAAJTSQ%2A"

    init() throws { am = try ScriptedAM() }

    private func bound(_ upgrade: SessionUpgrade) throws -> BoundJourney {
        try am.journey { $0.sessionUpgrade = upgrade }.bound(to: desk.caller())
    }

    private var queries: [String?] { am.sent(ScriptedAM.authenticate).map(\.url.query) }

    @Test func `goes in header and cookie, and each step says again what is run`() async throws {
        try await desk.signIn(Self.session, created: am.time.now())
        am.steps(loginPage)
        let bound = try bound(.header)
        _ = try await bound.next(try await bound.start("Step Up", StartOptions(forceAuth: true)).flow)
        let query = "authIndexType=service&authIndexValue=Step%20Up&ForceAuth=true"
        #expect(queries == [query, query])
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
        let advice = try #require(PolicyAdvice(["AuthLevelConditionAdvice": ["10"]]))
        am.network.forgetRequests()
        _ = try await bound.next(try await bound.start(advice: advice).flow)
        #expect(
            queries.allSatisfy { $0?.hasPrefix("authIndexType=composite_advice&authIndexValue=%3CAdvices") == true })
    }

    @Test func `goes in the address of the first step too where that is set, and ForceAuth only together with it`()
        async throws
    {
        try await desk.signIn(Self.session, created: am.time.now())
        am.steps(loginPage)
        let bound = try bound(.parameter)
        let flow = try await bound.start("StepUp", StartOptions(forceAuth: true)).flow
        #expect(!String(decoding: flow.encoded, as: UTF8.self).contains("canary"))
        _ = try await bound.next(flow)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent[0].parameters?.single("sessionUpgradeSSOTokenId") == Self.session)
        #expect(sent[0].parameters?.single("ForceAuth") == "true")
        #expect(sent[1].url.query == "authIndexType=service&authIndexValue=StepUp")
        #expect(sent.allSatisfy { $0.header(ScriptedAM.cookieName) == Self.session })
        let advice = try #require(PolicyAdvice(["AuthLevelConditionAdvice": ["10"]]))
        _ = try await bound.start(advice: advice)
        let last = try #require(am.sent(ScriptedAM.authenticate).last?.parameters)
        #expect(last.single("sessionUpgradeSSOTokenId") == Self.session && last.single("ForceAuth") == nil)
    }

    @Test func `stays out of the address where nothing is to be upgraded`() async throws {
        am.steps(loginPage)
        let bound = try bound(.parameter)
        _ = try await bound.next(try await bound.start("Login", StartOptions(forceAuth: true)).flow)
        #expect(queries == ["authIndexType=service&authIndexValue=Login", nil])
        try await desk.signIn(Self.session, created: am.time.now())
        _ = try await bound.start("Login")
        #expect(queries.last == "authIndexType=service&authIndexValue=Login")
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }

    @Test func `that is dead is as none, and is not put into an address`() async throws {
        try await desk.signIn(Self.session, created: am.time.now())
        am.set { $0.dead = [Self.session] }
        am.steps(loginPage)
        _ = try await bound(.parameter).start("StepUp", StartOptions(forceAuth: true))
        let sent = try #require(am.sent(ScriptedAM.authenticate).first)
        #expect(sent.url.query == "authIndexType=service&authIndexValue=StepUp")
        #expect(sent.header(ScriptedAM.cookieName) == nil && sent.header("cookie") == nil)
    }

    @Test func `is left alone while nobody can say whether it lives`() async throws {
        try await desk.signIn(Self.session, created: am.time.now())
        am.steps(loginPage)
        am.network.on(.post, ScriptedAM.sessions, failing: .notReached(.connect))
        let step = try await bound(.parameter).start("StepUp", StartOptions(forceAuth: true))
        #expect(step.cause != nil && am.sent(ScriptedAM.authenticate).isEmpty)
    }

    @Test func `is in no log line, error or node, also when AM repeats it in its refusal`() async throws {
        try await desk.signIn(Self.session, created: am.time.now())
        let log = RecordedLog()
        let journey = try am.journey {
            $0.sessionUpgrade = .parameter
            $0.logger = log.logger()
        }
        let bound = journey.bound(to: desk.caller())
        let answers: [ClientResponse] = [
            .json(#"{"code":400,"reason":"Bad Request","message":"Invalid session ID.\#(Self.session)"}"#, status: 400),
            .html("<p>\(Self.session)", status: 500), .html(Self.session, status: 400), .json(loginPage),
        ]
        for answer in answers {
            am.network.on(.post, ScriptedAM.authenticate, answering: answer)
            let step = try await bound.start("StepUp", StartOptions(forceAuth: true))
            var dumped = "\(step) \(step.node) \(step.error?.message ?? "") \(step.error?.input.text ?? "")"
            dump(step, to: &dumped)
            dumped += (step.cause.map { "\($0)" } ?? "")
            #expect(!dumped.contains(Self.session) && !dumped.contains(Self.encoded))
        }
        am.network.on(.post, ScriptedAM.authenticate, failing: .noUsableAnswer(.timeout))
        let step = try await bound.start("StepUp", StartOptions(forceAuth: true))
        #expect(!"\(step.node) \(step.cause.map { "\($0)" } ?? "")".contains("canary"))
        #expect(!log.lines.isEmpty)
        #expect(!log.lines.contains { $0.contains("canary") })
    }

    @Test func `that another user answered for is not said to be a wrong password`() async throws {
        try await desk.signIn(Self.session, created: am.time.now())
        let refusal =
            #"{"code":400,"message":"Session Upgrade fails since user is different than original authenticated user"}"#
        am.network.on(.post, ScriptedAM.authenticate, answering: .json(loginPage), .json(refusal, status: 400))
        let bound = try bound(.parameter)
        let step = try await bound.next(try await bound.start("StepUp", StartOptions(forceAuth: true)).flow)
        #expect(step.error?.journeyKind == .accountMismatch)
        #expect(try await desk.session.get()?.value.reveal() == Self.session)
    }
}
