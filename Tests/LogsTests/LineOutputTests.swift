import Basics
import Foundation
import TestSupport
import Testing

@testable import Logs

@Suite("The way of a line to its descriptor")
struct LineOutputTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What each call to the system says: bytes taken, or an error as a negative number.
        let says: [Int]
        var waits = true
        let written: String
        let calls: Int
    }

    private static let rows = [
        Row(testDescription: "all at once", says: [6], written: "abcde\n", calls: 1),
        Row(testDescription: "in parts", says: [2, 1, 3], written: "abcde\n", calls: 3),
        Row(
            testDescription: "interrupted", says: [-Int(EINTR), 4, -Int(EINTR), -Int(EINTR), 2], written: "abcde\n",
            calls: 5),
        Row(testDescription: "a reader that is slow", says: [3, -Int(EAGAIN), 3], written: "abcde\n", calls: 3),
        Row(
            testDescription: "a reader that stands still", says: [3, -Int(EAGAIN), 3], waits: false, written: "abc",
            calls: 2),
        Row(testDescription: "a reader that is gone", says: [-Int(EPIPE), 6], written: "", calls: 1),
        Row(testDescription: "a full disk", says: [2, -Int(ENOSPC), 4], written: "ab", calls: 2),
        Row(testDescription: "a closed descriptor", says: [-Int(EBADF), 6], written: "", calls: 1),
        Row(testDescription: "nothing taken", says: [0, 6], written: "", calls: 1),
    ]

    @Test("ends at what the system says:", arguments: rows)
    private func ends(row: Row) {
        let state = Locked<(written: [UInt8], calls: Int)>(([], 0))
        let output = LineOutput { bytes in
            state.withLock { state in
                let count = row.says[state.calls]
                state.calls += 1
                state.written += bytes.prefix(max(count, 0))
                return count
            }
        } wait: {
            row.waits
        }
        output.write(Array("abcde\n".utf8))
        #expect(state.withLock { String(decoding: $0.written, as: UTF8.self) } == row.written)
        #expect(state.withLock { $0.calls } == row.calls)
    }

    @Test func `keeps lines of several threads apart in a pipe`() async throws {
        let pipe = Pipe()
        let logger = Logger(
            label: "test", to: LogLines(format: .text, output: pipe.fileHandleForWriting.fileDescriptor))
        async let all = Self.everything(in: pipe)
        await withTaskGroup { group in
            for number in 0..<4 {
                group.addTask { for _ in 0..<200 { logger.info("A line", metadata: ["task": "\(number)"]) } }
            }
        }
        try pipe.fileHandleForWriting.close()
        let lines = await all.split(separator: "\n")
        #expect(lines.count == 800)
        #expect(lines.allSatisfy { $0.contains(/^\S+ info test: A line task=\d \[LogsTests\]$/) })
    }

    @Test func `brings a line through a pipe that does not block and is smaller than the line`() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0)
        async let all = Self.everything(in: pipe)
        let long = String(repeating: "x", count: 300_000)
        let logger = Logger(label: "test", to: LogLines(format: .json, output: descriptor))
        logger.info("A line", metadata: ["long": "\(long)"])
        try pipe.fileHandleForWriting.close()
        let isWhole = await all.hasSuffix(#""long":""# + long + "\"}\n")
        #expect(isWhole)
    }

    @Test func `loses what a closed descriptor does not take, and nothing else happens`() {
        let logger = Logger(label: "test", to: LogLines(format: .text, output: -1))
        logger.critical("A line")
    }

    /// Reads on a thread of its own: those of the pool may all be waiting to write.
    private static func everything(in pipe: Pipe) async -> String {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }
}
