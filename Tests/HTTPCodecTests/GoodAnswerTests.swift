import HTTPCodec
import HTTPCore
import Testing

@Suite("A well-formed answer")
struct GoodAnswerTests {
    @Test("is read as it is written", arguments: GoodAnswer.all)
    func read(_ answer: GoodAnswer) {
        #expect(answer.wire.collected() == answer.outcome)
        #expect(answer.wire.streamed() == answer.outcome)
    }

    @Test("is read in the same way however its bytes are split", arguments: GoodAnswer.all)
    func split(_ answer: GoodAnswer) {
        for cuts in answer.wire.splits {
            #expect(answer.wire.collected(cuts: cuts) == answer.outcome, "\(cuts.prefix(1))")
            #expect(answer.wire.streamed(cuts: cuts) == answer.outcome, "\(cuts.prefix(1))")
        }
    }

    @Test("leaves nothing behind for the next one of its connection", arguments: GoodAnswer.all)
    func followed(_ answer: GoodAnswer) throws {
        guard answer.keeps, answer.wire.ending == .open else { return }
        for next in GoodAnswer.all where next.wire.limits == answer.wire.limits {
            var response = ResponseCollector(answer.wire.limits)
            for turn in [answer, next] {
                #expect(response.canBegin)
                response.begin(turn.wire.method)
                response.requestWritten()
                _ = try turn.wire.bytes.withUnsafeBytes { try response.read($0) }
                if turn.wire.ending != .open { try response.end(isClean: true) }
                let answer = response.take()
                let taken = try #require(answer)
                #expect(taken.head.status == turn.status && taken.head.texts == turn.outcome.lines)
                #expect(taken.body == Array(turn.body.utf8), "\(next.testDescription)")
                let again = response.take()
                #expect(again == nil)
            }
        }
    }

    @Test func `gives a field by its name, without regard to case`() throws {
        let bytes = Array("HTTP/1.1 204 No\r\nA-b: 1\r\na-B: 2\r\nA: \r\nA-bc: 3\r\n\r\n".utf8)
        var response = ResponseCollector()
        response.begin(.get)
        response.requestWritten()
        let isWhole = try bytes.withUnsafeBytes { try response.read($0) }
        #expect(isWhole)
        let head = try #require(response.head)
        #expect(head.value("a-b") == "1")
        #expect(head.value("a") == "")
        #expect(head.value("a-bc") == "3")
        #expect(head.value("b") == nil && head.value("a-") == nil && head.value("") == nil)
        #expect(head.firstLine("a-b") == head.lines.first)
        var seen: [Line] = []
        head.forEachLine { name, value in
            seen.append(
                Line(name: String(decoding: name, as: UTF8.self), value: String(decoding: value, as: UTF8.self)))
        }
        #expect(seen == head.texts && seen.count == 4)
        #expect(head.bytes == bytes && !head.isHTTP10)
    }

    @Test func `is handed out piece by piece, and no piece is kept`() throws {
        var reader = ResponseParser()
        #expect(reader.canBegin && !reader.isComplete && reader.missingLength == nil)
        reader.begin(.get)
        #expect(!reader.canBegin)
        reader.requestWritten()
        func read(_ text: String) throws -> ResponseParser.Progress {
            try Array(text.utf8).withUnsafeBytes { try reader.read($0) }
        }
        var progress = try read("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
        #expect(progress.event == .head && progress.consumed == 38)
        #expect(reader.missingLength == 6 && reader.head?.status == 200)
        progress = try read("abc")
        #expect(progress.event == .body(0..<3) && progress.consumed == 3 && reader.missingLength == 3)
        progress = try read("")
        #expect(progress.event == .more && progress.consumed == 0)
        progress = try read("defX")
        #expect(progress.event == .body(0..<3) && progress.consumed == 3)
        #expect(!reader.isComplete && !reader.canBegin)
        progress = try read("")
        #expect(progress.event == .end && progress.consumed == 0)
        #expect(reader.isComplete && reader.canBegin && reader.refusal == nil)
    }

    @Test func `is held no longer than its head, and never beyond the limit`() throws {
        let head = Array("HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 5\r\n\r\n".utf8)
        var limits = ResponseLimits()
        limits.headBytes = head.count
        var parser = ResponseParser(limits)
        parser.begin(.get)
        parser.requestWritten()
        for count in 1..<head.count {
            _ = try head[(count - 1)..<count].withUnsafeBytes { try parser.read($0) }
            #expect(parser.heldBytes == count)
        }
        let event = try (head.suffix(1) + Array("hello".utf8)).withUnsafeBytes { try parser.read($0) }.event
        #expect(event == .head && parser.heldBytes == 0 && parser.head?.bytes == head)
        limits.headBytes -= 1
        parser = ResponseParser(limits)
        parser.begin(.get)
        parser.requestWritten()
        #expect(throws: HTTPCodecError.headTooLarge) {
            try (head + head).withUnsafeBytes { _ = try parser.read($0) }
        }
        #expect(parser.heldBytes == 0)
    }

    @Test func `may come as soon as the request is written, and is not lost when that is said twice`() throws {
        var reader = ResponseParser()
        reader.requestWritten()
        #expect(reader.canBegin)
        reader.begin(.get)
        reader.requestWritten()
        let half = Array("HTTP/1.1 20".utf8)
        _ = try half.withUnsafeBytes { try reader.read($0) }
        reader.requestWritten()
        let rest = Array("4 No\r\n\r\n".utf8)
        let progress = try rest.withUnsafeBytes { try reader.read($0) }
        #expect(progress.event == .head)
        #expect(reader.head.map { $0.status } == 204)
    }

    @Test func `is the last of a connection that ended`() throws {
        var response = ResponseCollector()
        response.begin(.get)
        response.requestWritten()
        let bytes = Array("HTTP/1.1 204 No\r\n\r\n".utf8)
        let isWhole = try bytes.withUnsafeBytes { try response.read($0) }
        #expect(isWhole && response.canBegin)
        try response.end(isClean: false)
        #expect(response.isComplete && !response.canBegin && response.refusal == nil)
        var fresh = ResponseParser()
        try fresh.end(isClean: true)
        #expect(!fresh.canBegin && !fresh.isComplete)
    }
}
