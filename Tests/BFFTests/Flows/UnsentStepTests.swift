import BFF
import Basics
import Cryptography
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

/// A process that has just begun must find out the name of AM's cookie before it sends a step.
@Suite("A step in a fresh process")
struct UnsentStepTests {
    private static let page =
        #"{"authId":"a1","callbacks":[{"type":"NameCallback","output":[{"name":"prompt","value":"Name"}],"#
        + #""input":[{"name":"IDToken1","value":""}],"_id":0}]}"#
    private static let info = ClientResponse.json(#"{"cookieName":"iPlanetDirectoryPro"}"#)

    /// How the look-up fails, and what the operator hears of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var wait = Duration.seconds(5)
        var line: String?
        let fail: @Sendable (ScriptedTransport) -> Void

        init(
            _ name: String, _ answer: ClientResponse, wait: Duration = .seconds(5), line: String? = nil
        ) {
            testDescription = name
            self.wait = wait
            self.line = line
            fail = { $0.on(.get, ScriptedSignIn.serverInfo, answering: answer) }
        }

        init(_ name: String, _ error: TransportError, line: String? = nil) {
            testDescription = name
            self.line = line
            fail = { $0.on(.get, ScriptedSignIn.serverInfo, failing: error) }
        }
    }

    private let store: MemoryStore
    private let key: ServerKey
    private let first: ScriptedSignIn
    private let fresh: ScriptedSignIn
    private let log = RecordedLog()

    init() throws {
        (first, fresh) = (try ScriptedSignIn(cookie: nil), try ScriptedSignIn(cookie: nil))
        store = MemoryStore(time: first.time)
        key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        first.network.on(.get, ScriptedSignIn.serverInfo, answering: Self.info)
        first.network.on(.post, ScriptedSignIn.authenticate, answering: .json(Self.page))
    }

    /// A browser at the page that the first process has shown, now at the fresh one, and its answer.
    private func moved() async throws -> (browser: Browser, page: JSONValue, body: NextRequest) {
        let browser = Browser(try first.backend(store, key))
        let page = try await browser.start()
        return (browser.at(try fresh.backend(store, key, log)), page, try Browser.answer(page, ["IDToken1": "bob"]))
    }

    @Test(
        "of which nothing was sent leaves the flow at its page, and the same answer goes on from there",
        arguments: [
            Row("500", ClientResponse(status: 500), line: "reason=provider-unavailable"),
            Row("refused", ClientResponse(status: 403), line: "check=status 403"),
            Row(
                "not there", .json("{}", status: 404),
                line: "check=AM has nothing at /openam/json/realms/root/serverinfo/*"),
            Row("no name", .json("{}"), line: "check=serverinfo names no usable session cookie"),
            Row("a page of something in between", .html("<p>", status: 200), line: "check=status 200"),
            Row("busy", ClientResponse(status: 503, fields: [HTTPField(.retryAfter, known: "7")]), wait: .seconds(7)),
            Row("connection refused", .notReached(.connect)),
            Row("no answer", .noUsableAnswer(.timeout), line: "reason=provider-unavailable"),
        ])
    func unsent(row: Row) async throws {
        let (browser, page, body) = try await moved()
        row.fail(fresh.network)
        await #expect(throws: BFFError.providerUnavailable(retryAfter: row.wait)) { try await browser.next(body) }
        #expect(fresh.network.requests(to: ScriptedSignIn.authenticate).isEmpty)
        #expect(try await browser.flow(page) == page)
        let line = log.lines.first { $0.contains("A step of a sign-in could not be sent") }
        #expect(row.line.map { line?.contains($0) == true } ?? (line == nil), "\(line ?? "no line")")
        #expect(!log.lines.contains { $0.contains("outcome=failed") })

        fresh.network.on(.get, ScriptedSignIn.serverInfo, answering: Self.info)
        fresh.network.on(
            .post, ScriptedSignIn.authenticate, answering: .json(#"{"code":401,"message":"No"}"#, status: 401))
        #expect(try await browser.next(body)["reason"] == "authentication-failed")
        #expect(fresh.network.requests(to: ScriptedSignIn.authenticate).count == 1)
    }

    @Test(
        "that AM has taken ends the flow when no tokens can be had, and its session with it",
        arguments: [
            Row("500", ClientResponse(status: 500)), Row("connection refused", .notReached(.connect)),
        ])
    func taken(row: Row) async throws {
        let (browser, page, body) = try await moved()
        fresh.network.on(.get, ScriptedSignIn.serverInfo, answering: Self.info)
        fresh.network.on(
            .post, ScriptedSignIn.authenticate,
            answering: .json(#"{"tokenId":"new.*A*","successUrl":"/openam/console","realm":"/"}"#))
        if row.testDescription == "500" {
            fresh.network.on(.get, ScriptedSignIn.discovery, answering: ClientResponse(status: 500))
        } else {
            fresh.network.on(.get, ScriptedSignIn.discovery, failing: .notReached(.connect))
        }
        #expect(try await browser.next(body)["reason"] == "provider-unavailable")
        #expect(try await browser.flow(page)["type"] == "failure")
        let ended = fresh.network.requests(to: ScriptedSignIn.sessions)
        #expect(ended.map { $0.header("iPlanetDirectoryPro") } == ["new.*A*"])
    }
}
