import Testing

@testable import StorageRedis

@Suite("A reply of a server that is")
struct ReplyReaderTests {
    private func read(_ pieces: [[UInt8]]) throws -> RedisReply? {
        let reader = try #require(ReplyReader())
        var reply: RedisReply?
        for piece in pieces {
            try piece.withUnsafeBytes { bytes throws in try reader.feed(bytes) }
            reply = try reader.next()
        }
        return reply
    }

    @Test("announced and never complete has a bound")
    func incomplete() throws {
        let head = Array("$\(ReplyReader.replyBytes * 2)\r\n".utf8)
        let part = [UInt8](repeating: 0x78, count: ReplyReader.replyBytes / 2)
        #expect(try read([head, part]) == nil)
        #expect(throws: ReplyReader.Malformed()) { try read([head, part, part, [0x78]]) }
    }

    @Test("an array has no more elements than its bound, as soon as it is announced")
    func elements() throws {
        #expect(try read([Array("*\(ReplyReader.replyElements - 1)\r\n".utf8)]) == nil)
        #expect(throws: ReplyReader.Malformed()) { try read([Array("*\(ReplyReader.replyElements + 1)\r\n".utf8)]) }
    }
}
