import HTTPCore
import Testing

@testable import HTTPClient

@Suite("A buffer of the transport")
struct CleansingTests {
    private let secret = Array("a password".utf8)

    private func append(_ bytes: [UInt8], to buffer: CleansedBuffer) {
        bytes.withUnsafeBytes { buffer.append($0) }
    }

    @Test func `is overwritten with zeros when it is emptied, and keeps its memory`() {
        let buffer = CleansedBuffer()
        append(secret, to: buffer)
        let old = UnsafeRawBufferPointer(start: buffer.view.baseAddress, count: buffer.count)
        #expect(Array(old) == secret)
        buffer.removeAll()
        #expect(buffer.count == 0)
        #expect(old.allSatisfy { $0 == 0 })
    }

    @Test func `is overwritten when what is written to it fails`() {
        struct Fault: Error {}
        let buffer = CleansedBuffer()
        buffer.reserve(64)
        append([1], to: buffer)
        let memory = UnsafeRawBufferPointer(start: buffer.view.baseAddress, count: 11)
        #expect(throws: Fault.self) {
            try buffer.append(upTo: 10) { memory in
                memory.copyBytes(from: secret)
                throw Fault()
            }
        }
        #expect(Array(memory) == [1] + [UInt8](repeating: 0, count: 10))
    }

    @Test func `with bytes of an upload is overwritten once they were sent`() throws {
        let pipe = StreamPipe(RequestStream(AsyncStream<[UInt8]> { nil }, length: 20))
        var buffer = CleansedBuffer()
        append(secret, to: buffer)
        let sent = UnsafeRawBufferPointer(start: buffer.view.baseAddress, count: buffer.count)
        guard case .bytes(10, wakes: false) = pipe.write(secret[...]) else {
            Issue.record("not taken")
            return
        }
        #expect(pipe.takeOutgoing(&buffer) == .bytes)
        #expect(Array(buffer.view) == secret)
        // Its memory is the next that the upload writes to.
        #expect(sent.allSatisfy { $0 == 0 })
    }

    @Test func `is overwritten when its exchange ends with bytes that were not sent`() {
        let pipe = StreamPipe(RequestStream(AsyncStream<[UInt8]> { nil }, length: 20))
        var buffer = CleansedBuffer()
        append(secret, to: buffer)
        let memory = UnsafeRawBufferPointer(start: buffer.view.baseAddress, count: buffer.count)
        // The pipe writes to the memory of that buffer from now on.
        _ = pipe.write(secret[...])
        _ = pipe.takeOutgoing(&buffer)
        _ = pipe.write(secret[...])
        #expect(Array(memory) == secret)
        pipe.end(.failure(.cancelled))
        #expect(memory.allSatisfy { $0 == 0 })
    }
}

@Suite("The pipe of a stream", .timeLimit(.minutes(1)))
struct StreamPipeTests {
    @Test func `has one reader at a time: a second is refused, and the first goes on`() async {
        let pipe = StreamPipe(nil)
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<2 { group.addTask { await pipe.waitForBytes() } }
            #expect(await group.next() == false)
            [UInt8](repeating: 1, count: 2).withUnsafeBytes { pipe.append($0) }
            #expect(await group.next() == true)
        }
    }

    @Test func `gives what came before its end, then the end`() {
        let pipe = StreamPipe(nil)
        [UInt8](repeating: 1, count: 3).withUnsafeBytes { pipe.append($0) }
        pipe.end(.failure(.noUsableAnswer(.closed)))
        pipe.end(.success(()))
        guard case .bytes([1, 1, 1], resumes: false) = pipe.take(),
            case .failed(.noUsableAnswer(.closed)) = pipe.take(), case .failed = pipe.take()
        else {
            Issue.record("another order")
            return
        }
    }

    @Test func `tells its reader to go on exactly once after it held the peer back`() {
        let pipe = StreamPipe(nil)
        let piece = [UInt8](repeating: 1, count: StreamPipe.room)
        piece.dropLast().withUnsafeBytes { pipe.append($0) }
        #expect(!pipe.holdsBack())
        piece.prefix(1).withUnsafeBytes { pipe.append($0) }
        #expect(pipe.holdsBack())
        guard case .bytes(let all, resumes: true) = pipe.take() else {
            Issue.record("the peer stays held back")
            return
        }
        #expect(all.count == StreamPipe.room)
        piece.prefix(1).withUnsafeBytes { pipe.append($0) }
        guard case .bytes([1], resumes: false) = pipe.take() else {
            Issue.record("held back twice")
            return
        }
    }
}
