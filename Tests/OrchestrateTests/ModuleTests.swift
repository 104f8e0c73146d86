import Basics
import HTTPCore
import JSON
import Logs
import Orchestrate
import TestSupport
import Testing

/// Keeps an item in memory, or fails.
private final class Shelf<Item: Sendable>: Storage {
    private let state: Locked<(item: Item?, error: StorageError?)>

    init(_ item: Item? = nil, failing error: StorageError? = nil) {
        state = Locked((item, error))
    }

    func save(_ item: Item) async throws(StorageError) {
        try check()
        state.withLock { $0.item = item }
    }

    func get() async throws(StorageError) -> Item? {
        try check()
        return state.withLock { $0.item }
    }

    func delete() async throws(StorageError) {
        try check()
        state.withLock { $0.item = nil }
    }

    func fail(_ error: StorageError?) { state.withLock { $0.error = error } }

    private func check() throws(StorageError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }
}

@Suite("The cookie module")
struct CookieModuleTests {
    private let shelf = Shelf<CookieJar>()
    private let time = ManualTime()

    private var storages: CallerStorages {
        var storages = CallerStorages()
        storages[.cookies] = shelf
        return storages
    }

    private func workflow(_ transport: ScriptedTransport, persist: [String] = ["ST"]) throws -> Workflow {
        try makeWorkflow(transport, time: time) { $0.module(Modules.cookies) { $0.persist = persist } }
    }

    private func transport(setting cookies: [String]...) -> ScriptedTransport {
        let transport = ScriptedTransport()
        let remaining = Locked(cookies)
        transport.on(.post, provider) { _ in
            var answer = ClientResponse.json(#"{"page":1}"#)
            for cookie in remaining.withLock({ $0.isEmpty ? [] : $0.removeFirst() }) {
                answer.fields.append(HTTPField(.setCookie, known: cookie))
            }
            return answer
        }
        return transport
    }

    private func sent(_ transport: ScriptedTransport) -> [String?] {
        transport.requests.map { $0.header("cookie") }
    }

    @Test func `sends a cookie of the flow with the next step of this flow only`() async throws {
        let transport = transport(setting: ["flow=1; Path=/"])
        let bound = try workflow(transport).bound(to: caller(storages))
        let first = try await bound.start()
        let other = try await bound.start()
        _ = try await bound.next(first.flow)
        _ = try await bound.next(other.flow)
        #expect(sent(transport) == [nil, nil, "flow=1", nil])
        #expect(try await shelf.get() == nil)
    }

    @Test func `sends a persisted cookie in the caller's next flow, and to no other caller`() async throws {
        let transport = transport(setting: ["ST=s; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=600"])
        let workflow = try workflow(transport)
        let first = try await workflow.bound(to: caller(storages)).start()
        _ = try await workflow.bound(to: caller(storages)).start()
        _ = try await workflow.bound(to: caller(storages)).next(first.flow)
        _ = try await workflow.bound(to: caller()).start()
        #expect(sent(transport) == [nil, "ST=s", "ST=s", nil])
        time.advance(by: .seconds(601))
        _ = try await workflow.bound(to: caller(storages)).start()
        #expect(sent(transport).last == .some(nil))
    }

    @Test func `keeps other cookies when an answer sets one`() async throws {
        let transport = transport(setting: ["a=1; Path=/", "ST=1; Path=/"], ["b=2; Path=/"])
        let bound = try workflow(transport).bound(to: caller(storages))
        let first = try await bound.start()
        let second = try await bound.next(first.flow)
        _ = try await bound.next(second.flow)
        #expect(sent(transport) == [nil, "ST=1; a=1", "ST=1; a=1; b=2"])
    }

    @Test func `removes a cookie that is set with an end in the past`() async throws {
        let transport = transport(
            setting: ["a=1; Path=/", "ST=1; Path=/"],
            ["a=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "ST=; Path=/; Max-Age=0"])
        let bound = try workflow(transport).bound(to: caller(storages))
        let first = try await bound.start()
        let second = try await bound.next(first.flow)
        _ = try await bound.next(second.flow)
        #expect(sent(transport) == [nil, "ST=1; a=1", nil])
        #expect(try await shelf.get() == nil)
        #expect(second.flow.context == FlowContext())
    }

    @Test func `takes cookies from refusals, and each field for itself`() async throws {
        let transport = transport(setting: ["a=1; Path=/; Expires=Thu, 01 Jan 2099 00:00:00 GMT", "b=2; Path=/"])
        let bound = try workflow(transport).bound(to: caller(storages))
        _ = try await bound.next(try await bound.start().flow)
        #expect(sent(transport) == [nil, "a=1; b=2"])
    }

    @Test(arguments: [
        "evil=1; Domain=example.org", "evil=1; Domain=evilexample.com", "evil=1; Domain=com", "evil=1; Path=/other",
        "evil=1; Domain=sub.openam.example.com",
    ])
    func `does not send what belongs elsewhere`(cookie: String) async throws {
        let transport = transport(setting: [cookie])
        let bound = try workflow(transport).bound(to: caller(storages))
        _ = try await bound.next(try await bound.start().flow)
        #expect(sent(transport) == [nil, nil])
    }

    @Test func `is asked before the address is known and still matches it`() async throws {
        let transport = transport(setting: ["ST=s; Path=/"])
        let workflow = try makeWorkflow(transport, time: time) {
            $0.module(Modules.cookies, priority: 1) { $0.persist = ["ST"] }
        }
        for _ in 0..<2 { _ = try await workflow.bound(to: caller(storages)).start() }
        #expect(sent(transport) == [nil, "ST=s"])
    }

    @Test func `joins an own Cookie header instead of dropping it`() async throws {
        let transport = transport(setting: ["ST=s; Path=/"])
        let own = Module.of { $0.start { _, request in request.header(name: "cookie", value: "mine=1") } }
        let workflow = try makeWorkflow(transport, time: time) {
            $0.module(Modules.cookies) { $0.persist = ["ST"] }
            $0.module(own)
        }
        for _ in 0..<2 { _ = try await workflow.bound(to: caller(storages)).start() }
        #expect(sent(transport) == ["mine=1", "mine=1; ST=s"])
    }

    @Test func `forgets at sign-off, also without an address, and tells the provider which session ends`() async throws
    {
        let transport = transport(setting: ["ST=s; Path=/"])
        let address = Module.of { $0.signOff { _, request in request.url(provider) } }
        let workflow = try makeWorkflow(transport, time: time) {
            $0.module(Modules.cookies) { $0.persist = ["ST"] }
            $0.module(address)
        }
        _ = try await workflow.bound(to: caller(storages)).start()
        _ = await workflow.bound(to: caller(storages)).signOff()
        #expect(sent(transport) == [nil, "ST=s"])
        #expect(try await shelf.get() == nil)

        let silent = try self.workflow(self.transport(setting: ["ST=s; Path=/"]))
        _ = try await silent.bound(to: caller(storages)).start()
        #expect(try await shelf.get() != nil)
        _ = await silent.bound(to: caller(storages)).signOff()
        #expect(try await shelf.get() == nil)
    }

    @Test func `makes the step a failure when the store fails`() async throws {
        let bound = try workflow(transport(setting: ["ST=s; Path=/"])).bound(to: caller(storages))
        shelf.fail(.unavailable)
        guard case .moduleFailed(.start, StorageError.unavailable)? = try await bound.start().cause else {
            Issue.record("expected the store's error")
            return
        }
    }

    @Test func `without a store keeps nothing beyond the flow`() async throws {
        let transport = transport(setting: ["ST=s; Path=/"])
        let bound = try workflow(transport).bound(to: caller())
        let first = try await bound.start()
        _ = try await bound.next(first.flow)
        _ = try await bound.start()
        #expect(sent(transport) == [nil, nil, nil])
    }
}

@Suite("The header and parameter modules")
struct HeaderModuleTests {
    private func requests(_ register: (inout WorkflowConfig) -> Void) async throws -> [ClientRequest] {
        let transport = ScriptedTransport.answering(#"{"page":1}"#)
        let bound = try makeWorkflow(transport, register).bound(to: caller())
        _ = try await bound.next(try await bound.start().flow)
        return transport.requests
    }

    @Test func `set headers on start and next, values of the step among them`() async throws {
        let sent = try await requests {
            $0.module(Modules.customHeader) { config in
                config.header(name: "x-requested-with", value: "ping-sdk")
                config.header(name: "x-request") { $0.caller.requestID }
                config.header(name: "x-absent") { _ in nil }
            }
        }
        #expect(sent.map { $0.header("x-requested-with") } == ["ping-sdk", "ping-sdk"])
        #expect(sent.map { $0.header("x-request") } == ["r1", "r1"])
        #expect(sent.allSatisfy { $0.header("x-absent") == nil })
    }

    @Test func `lose their defaults when overridden and keep them when appended`() async throws {
        func registering(_ mode: OverrideMode) async throws -> [String?] {
            let sent = try await requests {
                $0.module(Modules.customHeader) { $0.header(name: "x-default", value: "1") }
                $0.module(Modules.customHeader, mode: mode) { $0.header(name: "x-own", value: "1") }
            }
            return [sent[0].header("x-default"), sent[0].header("x-own")]
        }
        #expect(try await registering(.override) == [nil, "1"])
        #expect(try await registering(.append) == ["1", "1"])
        #expect(try await registering(.ignore) == ["1", nil])
    }

    @Test func `join the values of a list in the order of priority, and let others replace each other`() async throws {
        let sent = try await requests {
            $0.module(Modules.customHeader) { config in
                config.header(name: "Accept-Language", value: "en-GB, en;q=0.9")
                config.header(name: "Prefer", value: "old")
                config.header(name: "prefer", value: "b")
                config.header(name: "x-single", value: "b")
            }
            $0.module(Modules.customHeader, priority: 5, mode: .append) { config in
                config.header(name: "accept-language", value: "fr;q=0.1, EN")
                config.header(name: "Prefer", value: "a")
                config.header(name: "x-single", value: "a")
            }
        }
        #expect(sent.map { $0.header("accept-language") } == Array(repeating: "EN, fr;q=0.9, en-GB;q=0.8", count: 2))
        #expect(sent.map { $0.header("prefer") } == ["a, b", "a, b"])
        #expect(sent.map { $0.header("x-single") } == ["b", "b"])
    }

    @Test func `append parameters to the requests they are meant for`() async throws {
        let sent = try await requests {
            $0.module(Modules.customParameter) { config in
                config.parameter(name: "response_mode", value: "pi.flow", in: .start)
                config.parameter(name: "noSession", value: "true", in: .next)
                config.parameter(name: "locale", value: "de")
            }
        }
        #expect(sent[0].parameters?.pairs.map(\.name) == ["response_mode", "locale"])
        #expect(sent[1].parameters?.pairs.map(\.name).suffix(2) == ["noSession", "locale"])
    }
}

@Suite("The log of a workflow")
struct WorkflowLogTests {
    @Test func `has method, host, path and status, and nothing secret`() async throws {
        let lines = Locked<[String]>([])
        let logger = Logger(label: "test", level: .trace, to: Lines(lines: lines))
        let transport = ScriptedTransport()
        transport.on(.post, provider) { _ in
            var answer = ClientResponse.json(#"{"page":"canary"}"#)
            answer.fields.set(.setCookie, "canary=canary")
            return answer
        }
        let secrets = Module.of { setup in
            setup.start { context, request in
                request.header(name: "x-session", value: "canary")
                request.parameter(name: "code", value: "canary")
            }
        }
        let workflow = try makeWorkflow(transport) {
            $0.logger = logger
            $0.module(secrets)
            $0.module(Modules.cookies)
        }
        let quiet = try makeWorkflow(transport)
        let step = try await workflow.bound(to: caller()).start()
        _ = try await workflow.bound(to: caller()).next(step.flow, Answers(["a": "canary"]))
        let count = lines.withLock { $0.count }
        #expect(count >= 2)
        _ = try await quiet.bound(to: caller()).start()
        #expect(lines.withLock { $0.count } == count)
        let text = lines.withLock { $0.joined(separator: "\n") }
        #expect(text.contains("openam.example.com"))
        #expect(text.contains("/{}") && !text.contains("/step"))
        let requests = lines.withLock { $0.filter { $0.contains("provider request") } }
        #expect(!requests.isEmpty && requests.allSatisfy { $0.contains(#""request.id": r1"#) })
        #expect(!text.contains("canary"))
    }
}

private struct Lines: LogDestination {
    let lines: Locked<[String]>

    func write(_ event: LogEvent) {
        lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata)") }
    }
}

@Suite("A store that a module brings")
struct ModuleStoreTests {
    private let shelf = Shelf<Int>()
    private let key = StorageKey<Int>("count")

    /// A workflow whose module counts its starts.
    private func workflow() throws -> Workflow {
        let counting = Module.of { [key, shelf] setup in
            setup.keep(key, in: shelf)
            setup.start { context, _ in
                let store = context.caller.storages[key]
                try await store?.save((try await store?.get() ?? 0) + 1)
            }
        }
        return try makeWorkflow(ScriptedTransport.answering(#"{"page":1}"#)) { $0.module(counting) }
    }

    @Test func `is that of callers who bring none`() async throws {
        let workflow = try workflow()
        for _ in 0..<2 { _ = try await workflow.bound().start() }
        #expect(try await shelf.get() == 2)
    }

    @Test func `is not that of a caller who brings one`() async throws {
        let own = Shelf(5)
        var storages = CallerStorages()
        storages[key] = own
        _ = try await workflow().bound(to: caller(storages)).start()
        #expect(try await own.get() == 6)
        #expect(try await shelf.get() == nil)
    }

    @Test(arguments: [true, false])
    func `keeps cookies for the next flow`(asOnThePhone: Bool) async throws {
        let jar = Shelf<CookieJar>()
        let transport = ScriptedTransport()
        transport.on(.post, provider) { _ in
            var answer = ClientResponse.json(#"{"page":1}"#)
            answer.fields.append(HTTPField(.setCookie, known: "ST=s; Path=/"))
            return answer
        }
        let workflow = try makeWorkflow(transport) {
            $0.module(Modules.cookies) { cookies in
                cookies.persist = ["ST"]
                if asOnThePhone { cookies.cookieStorage = jar } else { cookies.storage = jar }
            }
        }
        for _ in 0..<2 { _ = try await workflow.bound().start() }
        #expect(transport.requests.map { $0.header("cookie") } == [nil, "ST=s"])
        #expect(try await jar.get() != nil)
    }
}
