internal import Basics
internal import HTTPCodec
internal import HTTPCore

/// The bodies of a streamed exchange between its tasks and its engine, at most about 64 KiB each way.
///
/// The task of the upload writes and the reader of the answer takes, on any thread; the engine takes and appends on its
/// event thread. Whichever finds nothing to do is noted as waiting, and woken by the other side.
final class StreamPipe: Sendable {
    /// The bytes of a direction at which its writer is held back.
    static let room = 65_536

    /// The result of the reader's look.
    enum Taken {
        /// Bytes; `resumes` is true if the engine holds the peer back.
        case bytes([UInt8], resumes: Bool)
        case end
        case failed(TransportError)
        case wait
    }

    /// The result of the engine's look for bytes of the upload.
    enum Outgoing {
        case bytes
        case end
        case wait
    }

    /// The result of writing a piece of the upload.
    enum Written {
        /// The number of bytes taken; `wakes` is true if the engine waits for them.
        case bytes(Int, wakes: Bool)
        case wait
        /// The exchange is over.
        case over
        /// The upload is longer or shorter than it said.
        case wrongLength
    }

    private struct State {
        /// True once the request has a connection.
        var isOpen: Bool
        var outgoing = CleansedBuffer()
        /// The bytes that the upload still has to give; nil for chunks.
        var lengthLeft: Int?
        var isUploaded: Bool
        var engineWaits = false
        var writer: CheckedContinuation<Void, Never>?
        var incoming = CleansedBuffer()
        var isHeldBack = false
        var reader: CheckedContinuation<Void, Never>?
        var end: Result<Void, TransportError>?
    }

    /// True if the request has an upload.
    let hasUpload: Bool
    /// The exact length of the upload; nil for chunks.
    let uploadLength: Int?
    private let state: Locked<State>

    init(_ upload: RequestStream?) {
        hasUpload = upload != nil
        uploadLength = upload?.length
        state = Locked(State(isOpen: false, lengthLeft: upload?.length, isUploaded: upload == nil))
    }

    /// True if the exchange is over.
    var isOver: Bool { state.withLock { $0.end != nil } }

    /// Ends the exchange; bytes that have come stay readable, and a second end changes nothing.
    func end(_ outcome: Result<Void, TransportError>) {
        let (reader, writer) = state.withLock { state in
            if state.end == nil { state.end = outcome }
            state.outgoing.removeAll()
            return (state.reader.take(), state.writer.take())
        }
        reader?.resume()
        writer?.resume()
    }

    /// Drops the bytes that have come, because their reader is gone.
    func discard() {
        state.withLock { $0.incoming.removeAll() }
    }

    // MARK: Upload, by its task

    /// Waits until the request has a connection, or the exchange is over.
    ///
    /// Not ended by a cancellation, which ends the exchange: only then it is known if the request got a connection.
    ///
    /// - Returns: True if it had one, even if the exchange is over.
    func waitForConnection() async -> Bool {
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard !state.isOpen, state.end == nil else { return false }
                state.writer = continuation
                return true
            }
            if !waits { continuation.resume() }
        }
        return state.withLock { $0.isOpen }
    }

    /// Waits until there is room, the exchange is over, or the task is cancelled.
    func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = state.withLock { state in
                    guard state.outgoing.count >= Self.room, state.end == nil, !Task.isCancelled else { return false }
                    state.writer = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.writer.take() }?.resume()
        }
    }

    /// Waits until the task of the upload is cancelled, as it is when the exchange is over.
    func waitForCancellation() async {
        await withTaskCancellationHandler {
            // The exchange may end before.
            while !Task.isCancelled {
                await withCheckedContinuation { continuation in
                    let waits = state.withLock { state in
                        if !Task.isCancelled { state.writer = continuation }
                        return state.writer != nil
                    }
                    if !waits { continuation.resume() }
                }
            }
        } onCancel: {
            state.withLock { $0.writer.take() }?.resume()
        }
    }

    /// Takes bytes of the upload, as many as there is room for.
    func write(_ piece: ArraySlice<UInt8>) -> Written {
        state.withLock { state in
            guard state.end == nil else { return .over }
            // rule: an upload is not longer than it said
            if let left = state.lengthLeft, piece.count > left { return .wrongLength }
            let room = min(Self.room - state.outgoing.count, piece.count)
            // rule: an upload waits for room
            guard room > 0 else { return .wait }
            if let left = state.lengthLeft { state.lengthLeft = left - room }
            piece.prefix(room).withUnsafeBytes { bytes in
                if state.lengthLeft != nil { return state.outgoing.append(bytes) }
                state.outgoing.append(upTo: RequestWriter.chunkSize(room)) { memory in
                    var writer = RequestWriter(into: memory)
                    writer.put(chunk: bytes)
                    return writer.count
                }
            }
            defer { state.engineWaits = false }
            return .bytes(room, wakes: state.engineWaits)
        }
    }

    /// Says that the upload has ended.
    func finishUpload() -> Written {
        state.withLock { state in
            guard state.end == nil else { return .over }
            // rule: an upload is not shorter than it said
            if let left = state.lengthLeft, left > 0 { return .wrongLength }
            if state.lengthLeft == nil {
                state.outgoing.append(upTo: RequestWriter.lastChunkSize) { memory in
                    var writer = RequestWriter(into: memory)
                    writer.putLastChunk()
                    return writer.count
                }
            }
            state.isUploaded = true
            defer { state.engineWaits = false }
            return .bytes(0, wakes: state.engineWaits)
        }
    }

    // MARK: Upload, by the engine

    /// Says that the request has a connection, so that the upload begins.
    func open() {
        let writer = state.withLock { state in
            state.isOpen = true
            return state.writer.take()
        }
        writer?.resume()
    }

    /// Exchanges a buffer whose bytes were sent for the next bytes of the upload.
    func takeOutgoing(_ sent: inout CleansedBuffer) -> Outgoing {
        let (result, writer) = state.withLock { state -> (Outgoing, CheckedContinuation<Void, Never>?) in
            guard state.outgoing.count > 0 else {
                // A peer may answer as soon as it has all bytes, before the source has said that there are no more.
                let isWhole = state.isUploaded || state.lengthLeft == 0
                state.engineWaits = !isWhole
                return (isWhole ? .end : .wait, nil)
            }
            sent.removeAll()
            swap(&sent, &state.outgoing)
            return (.bytes, state.writer.take())
        }
        writer?.resume()
        return result
    }

    // MARK: Answer, by the engine

    /// Adds bytes of the answer.
    func append(_ bytes: UnsafeRawBufferPointer) {
        let reader = state.withLock { state in
            state.incoming.append(bytes)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// True if the peer is to be held back until the reader has taken what is there.
    func holdsBack() -> Bool {
        state.withLock { state in
            // rule: an answer that is not read holds its peer back
            guard state.incoming.count >= Self.room else { return false }
            state.isHeldBack = true
            return true
        }
    }

    // MARK: Answer, by its reader

    /// Takes all bytes that have come.
    func take() -> Taken {
        state.withLock { state in
            if state.incoming.count > 0 {
                let bytes = state.incoming.bytes
                state.incoming.removeAll()
                defer { state.isHeldBack = false }
                return .bytes(bytes, resumes: state.isHeldBack)
            }
            switch state.end {
            case nil: return .wait
            case .success: return .end
            case .failure(let error): return .failed(error)
            }
        }
    }

    /// Waits for bytes or the end.
    ///
    /// - Returns: False if another reader waits.
    func waitForBytes() async -> Bool {
        var isFree = true
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.incoming.count == 0, state.end == nil else { return false }
                // rule: an answer has one reader at a time
                if state.reader != nil { isFree = false } else { state.reader = continuation }
                return isFree
            }
            if !waits { continuation.resume() }
        }
        return isFree
    }
}
