import Basics
import Testing

@testable import StorageRedis

@Suite("A pipeline of commands")
struct PipelineTests {
    private typealias Calls = Pipeline<Int>
    private let start = ContinuousClock.now

    private func entry(_ call: Int, repeatable: Bool = false) -> Calls.Entry {
        Calls.Entry(
            RedisCommand("GET", "k\(call)"), deadline: start + .seconds(call), isRepeatable: repeatable, call: call)
    }

    /// Adds commands in their order; returns how many were taken.
    private func add(_ calls: inout Calls, _ entries: Calls.Entry...) -> Int {
        entries.reduce(0) { $0 + (calls.add($1) ? 1 : 0) }
    }

    /// The marks of an output, in their order.
    private func marks(_ output: [UInt8]) -> [RedisReply] {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\r\n")
        return lines.indices.filter { lines[$0] == "ECHO" }.map { .string(Array(lines[$0 + 2].utf8)) }
    }

    private func call(_ answer: Calls.Answer) -> Int? {
        if case .complete(let entry, _) = answer { entry.call } else { nil }
    }

    @Test func `gives answers to commands in their order, each with its mark`() throws {
        var calls = Calls()
        let added = add(&calls, entry(1), entry(2), entry(3))
        #expect(added == 3)
        let marks = marks(calls.output(atLeast: .max, [:]))
        #expect(Set(marks.compactMap(\.bytes)).count == 3)
        for number in 1...3 {
            guard case .partial = calls.answered(.integer(Int64(number))) else { Issue.record("not partial"); return }
            let answered = call(calls.answered(marks[number - 1]))
            #expect(answered == number)
        }
        #expect(calls.isEmpty)
        guard case .stray = calls.answered(.null) else { Issue.record("an answer without a command"); return }
    }

    @Test func `takes no mark of another command or another connection`() {
        var calls = Calls()
        _ = add(&calls, entry(1), entry(2))
        let first = marks(calls.output(atLeast: .max, [:]))
        _ = calls.answered(.null)
        guard case .stray = calls.answered(first[1]) else { Issue.record("the mark of another command"); return }
        let undecided = calls.end(unwritten: 0).map(\.call)
        #expect(undecided == [1, 2])
        _ = add(&calls, entry(3))
        let second = marks(calls.output(atLeast: .max, [:]))
        #expect(second[0] != first[0])
        _ = calls.answered(.null)
        guard case .stray = calls.answered(first[0]) else { Issue.record("the mark of another connection"); return }
    }

    @Test func `sends again what cannot have been done, in its order, and nothing else`() {
        var calls = Calls()
        _ = add(&calls, entry(1), entry(2, repeatable: true), entry(3), entry(4))
        let output = calls.output(atLeast: .max, [:])
        let each = output.count / 4
        // The last byte of the third command, its mark and the fourth command were not taken.
        let mark = RedisCommand("ECHO", arguments: [marks(output)[2].bytes ?? []]).encoded([:]).count
        let undecided = calls.end(unwritten: each + mark + 1).map(\.call)
        #expect(undecided == [1])
        let again = String(decoding: calls.output(atLeast: .max, [:]), as: UTF8.self)
        // Whole lines: the marks are random text.
        #expect(!again.contains("\r\nk1\r\n"))
        let places = ["k2", "k3", "k4"].compactMap { again.firstRange(of: "\r\n\($0)\r\n")?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        let last = calls.end(unwritten: 0).map(\.call)
        #expect(last == [2, 3, 4], "a second time is the last")
        #expect(calls.isEmpty)
    }

    @Test func `has bounds for commands, bytes and what is under way`() {
        var limits = Calls.Limits()
        (limits.commands, limits.window) = (3, 2)
        var calls = Calls(limits)
        let added = add(&calls, entry(1), entry(2), entry(3))
        #expect(added == 3)
        let further = add(&calls, entry(4))
        #expect(further == 0)
        let sent = marks(calls.output(atLeast: .max, [:]))
        let beyond = calls.output(atLeast: .max, [:])
        #expect(sent.count == 2 && beyond.isEmpty)
        limits.commands = 10
        limits.bytes = 100
        calls = Calls(limits)
        let fitting = add(&calls, entry(1), entry(2), entry(3))
        #expect(fitting == 2)
        let removed = calls.removeWaiting()
        #expect(removed.count == 2 && calls.isEmpty)
        let again = add(&calls, entry(1), entry(2))
        #expect(again == 2, "their bytes count no more")
    }

    @Test func `expires what waits, at its deadline and not before`() {
        var calls = Calls()
        let added = add(&calls, entry(1), entry(2), entry(3))
        #expect(added == 3)
        let early = calls.expire(at: start)
        #expect(early.isEmpty)
        #expect(calls.waitingDeadline == start + .seconds(1) && calls.sentDeadline == nil)
        let late = calls.expire(at: start + .seconds(2)).map(\.call)
        #expect(late == [1, 2])
        _ = calls.output(atLeast: .max, [:])
        #expect(calls.sentDeadline == start + .seconds(3) && calls.waitingDeadline == nil)
        let sent = calls.expire(at: start + .seconds(9))
        #expect(sent.isEmpty, "it was sent")
    }

    @Test func `expires a command that is due before an older one`() {
        var calls = Calls()
        let added = add(&calls, entry(3), entry(1), entry(4), entry(2))
        #expect(added == 4 && calls.waitingDeadline == start + .seconds(1))
        let late = calls.expire(at: start + .seconds(2)).map(\.call)
        #expect(late == [1, 2] && calls.waitingDeadline == start + .seconds(3))
        _ = calls.removeWaiting()
        #expect(calls.isEmpty && calls.waitingDeadline == nil)

        let again = add(&calls, entry(3), entry(1))
        _ = calls.output(atLeast: .max, [:])
        #expect(again == 2 && calls.sentDeadline == start + .seconds(1))
    }

    @Test func `waits longer after each failure, within bounds, and not always alike`() {
        var (least, most) = (Backoff(), Backoff())
        let shortest = (0..<12).map { _ in least.next(0) }
        let longest = (0..<12).map { _ in most.next(255) }
        #expect(shortest == shortest.sorted() && longest == longest.sorted())
        #expect(shortest.first == .milliseconds(10) && longest.first == .milliseconds(20))
        #expect(shortest.last == .seconds(1) && longest.last == .seconds(2))
        most.reset()
        let first = most.next(255)
        #expect(first == .milliseconds(20))
    }
}

@Suite("Settings of the Redis store")
struct RedisSettingsTests {
    @Test(arguments: [
        ("redis://localhost", "localhost:6379", 0), ("redis://localhost/", "localhost:6379", 0),
        ("redis://10.0.0.1:7000/2", "10.0.0.1:7000", 2), ("redis://[::1]:7000", "[::1]:7000", 0),
        ("redis://[fe80::1]/3", "[fe80::1]:6379", 3), ("redis+unix:///run/redis.sock", "/run/redis.sock", 0),
    ])
    func `read an address`(_ text: String, _ address: String, _ database: Int) throws {
        let settings = try #require(RedisSettings(url: text))
        #expect("\(settings.address)" == address && settings.database == database)
    }

    @Test(arguments: [
        "", "redis:", "redis://", "redis:///2", "redis://:6379", "redis://h:0", "redis://h:65536", "redis://h:x",
        "redis://h/x",
        "redis://h/1/2", "redis://h/65536", "redis://u:p@h", "redis://u@h", "redis://h?x=1", "redis://h#f",
        "redis://[::1",
        "redis://[::1]x", "redis://[x]", "redis://h h", "rediss:/h", "rediss://u@h", "redissx://h", "redis+sentinel:",
        "redis+sentinel://h", "redis+sentinel:///x", "redis+sentinel:///0/1", "redis+sentinel:///65536", "valkey://h",
        "redis+cluster:", "redis+cluster://h", "redis+cluster:///1", "redis+cluster:///x", "redis+cluster:///0/0",
        "redis+unix://relative",
        "redis+unix:///",
        "redis+unix:///" + String(repeating: "x", count: 108), "http://h",
    ])
    func `refuse another form, and every user or password in it`(_ text: String) {
        #expect(RedisSettings(url: text) == nil)
    }

    @Test(arguments: [
        ("redis://h/1", false), ("rediss://h/1", true), ("redis+unix:///h", false), ("redis+sentinel:///1", false),
        ("rediss+sentinel:///1", true), ("redis+cluster:///0", false), ("rediss+cluster:///", true),
    ])
    func `have TLS with rediss alone`(_ text: String, _ isSecure: Bool) throws {
        let settings = try #require(RedisSettings(url: text))
        #expect((settings.tls != nil) == isSecure)
    }

    @Test func `show no password`() {
        var settings = RedisSettings(address: .socket(path: "/x"))
        settings.password = .init("hunter2")
        #expect(!"\(settings)".contains("hunter2"))
    }

    @Test func `take a prefix of plain characters alone`() {
        for text in ["a", "cloakroom", "a-b_c.d:e", String(repeating: "x", count: 64)] {
            #expect(RedisSettings.isPrefix(text))
        }
        for text in ["", "{a}", "a b", "ä", "a*", String(repeating: "x", count: 65)] {
            #expect(!RedisSettings.isPrefix(text))
        }
    }
}
