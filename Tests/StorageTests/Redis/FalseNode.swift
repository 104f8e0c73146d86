import Basics
import TestSupport

@testable import StorageRedis

/// A node of a cluster that says what a test wants.
final class FalseNode: Sendable {
    /// What it answers to a command; nil for what a node answers by itself, an empty text to hang up.
    typealias Answer = @Sendable ([String]) -> String?

    private let peer: ScriptedPeer
    private let received: Locked<[[String]]>
    private let answer: Locked<Answer>
    private let owner: Locked<UInt16>

    /// Listens on a free port of this machine; it says that it has all slots.
    init() throws {
        let (received, answer) = (Locked<[[String]]>([]), Locked<Answer>({ _ in nil }))
        let owner = Locked(UInt16(0))
        (self.received, self.answer, self.owner) = (received, answer, owner)
        peer = try ScriptedPeer { connection in
            var bytes: [UInt8] = []
            while let more = connection.readSome() {
                bytes += more
                while let words = Self.take(&bytes) {
                    received.withLock { $0.append(words) }
                    let text = answer.withLock { $0 }(words) ?? Self.usual(words, owner.withLock { $0 })
                    guard !text.isEmpty, connection.write(text) else { return connection.hangUp() }
                }
            }
        }
        owner.withLock { $0 = peer.port }
    }

    var port: UInt16 { peer.port }
    var host: RedisSettings.Cluster.Host { .init(host: "127.0.0.1", port: peer.port) }

    /// Gives an answer of the test from now on.
    func answers(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }

    /// Says from now on that another node has all slots.
    func name(_ other: FalseNode) { owner.withLock { $0 = other.port } }

    /// The commands of these names that came so far, in their order.
    func commands(_ names: String...) -> [[String]] {
        received.withLock { $0 }.filter { names.contains($0[0]) }
    }

    func stop() { peer.stop() }

    private static func usual(_ words: [String], _ owner: UInt16) -> String {
        switch (words[0], words.dropFirst().first) {
        case ("ECHO", let mark?): "$\(mark.utf8.count)\r\n\(mark)\r\n"
        case ("PING", _): "+PONG\r\n"
        case ("SCRIPT", _): "$40\r\n" + String(repeating: "a", count: 40) + "\r\n"
        case ("CLUSTER", "INFO"): "$43\r\ncluster_state:ok\r\ncluster_current_epoch:1\r\n\r\n"
        case ("CLUSTER", "SLOTS"): "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:\(owner)\r\n"
        case ("HGETALL", _): "*0\r\n"
        default: "+OK\r\n"
        }
    }

    /// Takes one command out of the bytes; nil until it is whole.
    private static func take(_ bytes: inout [UInt8]) -> [String]? {
        var place = 0
        func number() -> Int? {
            let end = bytes[place...].firstIndex(of: UInt8(ascii: "\r"))
            guard let end, end + 1 < bytes.count else { return nil }
            defer { place = end + 2 }
            return Int(String(decoding: bytes[(place + 1)..<end], as: UTF8.self))
        }
        guard !bytes.isEmpty, let count = number() else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard place < bytes.count, let length = number(), place + length + 2 <= bytes.count else { return nil }
            words.append(String(decoding: bytes[place..<(place + length)], as: UTF8.self))
            place += length + 2
        }
        bytes.removeFirst(place)
        return words
    }
}
