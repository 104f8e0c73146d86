import HTTPCodec
import HTTPCore

/// How far the request is when an answer's bytes arrive.
enum Asked: Sendable, Equatable {
    case nothing
    case partly
    case wholly
}

/// How the connection ends after the bytes.
enum Ending: Sendable, Equatable {
    case open
    case clean
    case unclean
}

/// An answer on the wire, and all that its reader is told besides.
struct Wire: Sendable {
    let bytes: [UInt8]
    var method = HTTPMethod.get
    var asked = Asked.wholly
    var ending = Ending.open
    var limits = ResponseLimits()

    init(_ text: String) {
        bytes = Array(text.utf8)
    }
}

/// A field line as texts, to be compared.
struct Line: Equatable, CustomStringConvertible {
    let name: String
    let value: String

    var description: String { "\(name): \(value)" }
}

/// All that a reader says in the end.
struct Outcome: Equatable {
    var status: Int?
    var lines: [Line] = []
    var body: [UInt8] = []
    var isComplete = false
    var canBegin = false
    var refusal: HTTPCodecError?
}

/// Lends a copy that lies in memory of exactly its size, so that reading on is noticed by sanitizers.
func lend<Result>(_ bytes: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return body(UnsafeRawBufferPointer(memory))
}

extension Wire {
    /// Feeds the bytes, split at the cuts, to a reader that collects the body.
    func collected(cuts: [Int] = []) -> Outcome {
        var response = ResponseCollector(limits)
        if asked != .nothing { response.begin(method) }
        if asked == .wholly { response.requestWritten() }
        for piece in pieces(cuts) where response.refusal == nil {
            _ = lend(piece) { try? response.read($0) }
        }
        // Before the end, after which no connection is used.
        let canBegin = response.canBegin
        if ending != .open { try? response.end(isClean: ending == .clean) }
        var outcome = Outcome()
        outcome.isComplete = response.isComplete
        outcome.refusal = response.refusal
        outcome.canBegin = canBegin && response.refusal == nil
        if let answer = response.take() {
            outcome.status = answer.head.status
            outcome.lines = answer.head.texts
            outcome.body = answer.body
        }
        return outcome
    }

    /// Feeds the bytes to a reader that hands out pieces, as a stream takes them.
    func streamed(cuts: [Int] = []) -> Outcome {
        var reader = ResponseParser(limits)
        var outcome = Outcome()
        if asked != .nothing { reader.begin(method) }
        if asked == .wholly { reader.requestWritten() }
        for piece in pieces(cuts) where reader.refusal == nil {
            lend(piece) { reader.drain($0, into: &outcome) }
        }
        outcome.canBegin = reader.canBegin
        if ending != .open { try? reader.end(isClean: ending == .clean) }
        outcome.isComplete = reader.isComplete
        outcome.refusal = reader.refusal
        outcome.canBegin = outcome.canBegin && reader.refusal == nil
        if reader.isComplete {
            outcome.status = reader.head?.status
            outcome.lines = reader.head?.texts ?? []
        } else {
            outcome.body = []
        }
        return outcome
    }

    /// Every way to split the bytes that a test tries: one cut anywhere, and a cut after each byte.
    var splits: [[Int]] {
        (0...bytes.count).map { [$0] } + [Array(1..<max(1, bytes.count))]
    }

    private func pieces(_ cuts: [Int]) -> [ArraySlice<UInt8>] {
        zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }
    }
}

extension ResponseParser {
    /// Reads all bytes, adding what is body to `outcome`.
    mutating func drain(_ bytes: UnsafeRawBufferPointer, into outcome: inout Outcome) {
        var at = 0
        while true {
            let left = UnsafeRawBufferPointer(rebasing: bytes[at...])
            guard let progress = try? read(left) else { return }
            if case .body(let piece) = progress.event { outcome.body += left[piece] }
            at += progress.consumed
            if progress.event == .more || progress.event == .end && at == bytes.count { return }
        }
    }
}

extension ResponseHead {
    /// The field lines as texts, in order.
    var texts: [Line] {
        lines.map {
            Line(
                name: String(decoding: bytes[$0.name], as: UTF8.self),
                value: String(decoding: bytes[$0.value], as: UTF8.self))
        }
    }
}
