// Compiled by run.sh and linked with HTTPCodec, not by the package.

import HTTPCore

@testable import HTTPCodec

/// One input: flags, a limit, two cuts, then the bytes of an answer, or the parts of a request on a line each.
///
/// The outcome is equal however the bytes are split, nothing grows beyond its limit, and an accepted answer or request that is
/// written again reads the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard input.count >= 4 else { return 0 }
    let bytes = Array(input[4...])
    if input[0] & 16 != 0 {
        checkRequest(bytes, isAbsolute: input[0] & 32 != 0, cut: input[0] & 64 != 0 ? Int(input[2]) : nil)
        return 0
    }
    var limits = ResponseLimits()
    if input[1] < 128 {
        limits.headBytes = 64 + Int(input[1])
        limits.fieldLines = Int(input[1] & 7)
        limits.bodyBytes = Int(input[1] & 15)
        limits.interimAnswers = Int(input[1] & 1)
        limits.chunkExtensionBytes = Int(input[1] & 7)
    }
    let method = input[0] & 1 != 0 ? HTTPMethod.head : .get
    let ending = input[0] >> 2 & 3
    let whole = read([bytes[...]], method, limits, ending)
    let cuts = [Int(input[2]), Int(input[3])].map { min($0, bytes.count) }.sorted()
    let pieces = [bytes[..<cuts[0]], bytes[cuts[0]..<cuts[1]], bytes[cuts[1]...]]
    precondition(read(pieces, method, limits, ending) == whole, "three pieces")
    precondition(read(bytes.indices.map { bytes[$0...$0] }, method, limits, ending) == whole, "byte by byte")
    precondition(streamed(pieces, method, limits, ending) == whole, "as a stream")
    if let answer = whole.answer { check(answer, method, limits) }
    return 0
}

private struct Outcome: Equatable {
    var answer: ResponseCollector.Response?
    var refusal: HTTPCodecError?
    var canBegin = false
}

/// Lends a copy of exactly this size, so that AddressSanitizer sees the first byte read too far.
private func lend<Result>(_ bytes: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    return body(UnsafeRawBufferPointer(memory))
}

private func read(
    _ pieces: [ArraySlice<UInt8>], _ method: HTTPMethod, _ limits: ResponseLimits, _ ending: UInt8
) -> Outcome {
    var response = ResponseCollector(limits)
    response.begin(method)
    response.requestWritten()
    for piece in pieces where response.refusal == nil { _ = lend(piece) { try? response.read($0) } }
    let canBegin = response.canBegin
    precondition(!canBegin || response.isComplete && response.refusal == nil)
    if ending != 0 { try? response.end(isClean: ending > 1) }
    precondition(response.isComplete || !response.canBegin)
    var outcome = Outcome()
    (outcome.refusal, outcome.canBegin) = (response.refusal, canBegin)
    outcome.answer = response.take()
    precondition(outcome.answer == nil || outcome.refusal == nil || outcome.refusal == .bytesAfterAnswer)
    return outcome
}

private func streamed(
    _ pieces: [ArraySlice<UInt8>], _ method: HTTPMethod, _ limits: ResponseLimits, _ ending: UInt8
) -> Outcome {
    var reader = ResponseParser(limits)
    reader.begin(method)
    reader.requestWritten()
    var body: [UInt8] = []
    for piece in pieces {
        lend(piece) { bytes in
            var left = bytes
            while let progress = try? reader.read(left) {
                precondition(progress.consumed <= left.count && reader.heldBytes <= limits.headBytes)
                if case .body(let range) = progress.event {
                    precondition(range.upperBound == progress.consumed && !range.isEmpty)
                    body += left[range]
                }
                left = UnsafeRawBufferPointer(rebasing: left[progress.consumed...])
                if progress.event == .more {
                    precondition(left.isEmpty)
                    break
                }
                if progress.event == .end, left.isEmpty { break }
            }
        }
        if reader.refusal != nil { break }
    }
    var outcome = Outcome()
    outcome.canBegin = reader.canBegin
    if ending != 0 { try? reader.end(isClean: ending > 1) }
    outcome.refusal = reader.refusal
    if reader.isComplete, let head = reader.head { outcome.answer = ResponseCollector.Response(head: head, body: body) }
    return outcome
}

/// The places of a head lie in order within it, the limits are kept, and written with a length it reads as the same answer.
private func check(_ answer: ResponseCollector.Response, _ method: HTTPMethod, _ limits: ResponseLimits) {
    let head = answer.head
    precondition(200...599 ~= head.status && head.bytes.count <= limits.headBytes)
    precondition(head.lines.count <= limits.fieldLines && answer.body.count <= limits.bodyBytes)
    var written = Array("HTTP/1.1 \(head.status) x\r\n".utf8)
    var lines: [[UInt8]] = []
    for line in head.lines {
        precondition(!line.name.isEmpty && line.name.upperBound < line.value.lowerBound + 1)
        precondition(
            head.bytes[line.name.upperBound] == UInt8(ascii: ":") && line.value.upperBound <= head.bytes.count - 4)
        let text: [UInt8] = head.bytes[line.name] + [0x3A] + head.bytes[line.value]
        precondition(!text.contains { $0 == 13 || $0 == 10 || $0 == 0 })
        let name = String(decoding: head.bytes[line.name], as: UTF8.self).lowercased()
        if name == "content-length" || name == "transfer-encoding" { continue }
        lines.append(text)
        written += text + [13, 10]
    }
    let hasBody = method != .head && head.status != 204 && head.status != 304
    precondition(hasBody || answer.body.isEmpty)
    if hasBody { written += Array("Content-Length: \(answer.body.count)\r\n".utf8) }
    written += [13, 10] + answer.body
    let again = read([written[...]], method, ResponseLimits(), 0)
    guard let other = again.answer, again.refusal == nil else { preconditionFailure("unreadable") }
    precondition(other.head.status == head.status && other.body == answer.body)
    let others: [[UInt8]] = other.head.lines.map { other.head.bytes[$0.name] + [0x3A] + other.head.bytes[$0.value] }
    precondition(Array(others.prefix(lines.count)) == lines && others.count == lines.count + (hasBody ? 1 : 0))
}

/// A request that is written has the lines that it was given and no more, which the reader of answers reads back.
///
/// With a cut its body is chunked, in two pieces.
private func checkRequest(_ bytes: [UInt8], isAbsolute: Bool, cut: Int?) {
    let parts = bytes.split(separator: 10, maxSplits: 5, omittingEmptySubsequences: false).map { Array($0) }
    guard parts.count == 6 else { return }
    let texts = parts.prefix(4).map { String(decoding: $0, as: UTF8.self) }
    let query = texts[2].isEmpty ? nil : texts[2]
    let (name, value) = (parts[4], parts[5])
    let chunks = cut.map { [value.prefix($0), value.dropFirst($0)].filter { !$0.isEmpty }.map { Array($0) } }
    let length = cut == nil ? value.count : nil
    let body = chunks.map { $0.reduce(RequestWriter.lastChunkSize) { $0 + RequestWriter.chunkSize($1.count) } }
    let size =
        RequestWriter.startSize(
            method: texts[0], path: texts[1], query: query, host: texts[3], isAbsolute: isAbsolute)
        + RequestWriter.fieldsSize(1, bytes: name.count + value.count)
        + RequestWriter.finishSize(length: length, isChunked: cut != nil) + (body ?? value.count)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
    defer { memory.deallocate() }
    var writer = RequestWriter(into: memory)
    do {
        try writer.start(method: texts[0], path: texts[1], query: query, host: texts[3], isAbsolute: isAbsolute)
        try name.withUnsafeBytes { name in try value.withUnsafeBytes { try writer.field(name: name, value: $0) } }
    } catch {
        return
    }
    writer.finish(length: length, isChunked: cut != nil)
    if let chunks {
        for chunk in chunks { chunk.withUnsafeBytes { writer.put(chunk: $0) } }
        writer.putLastChunk()
    } else {
        value.withUnsafeBytes { writer.put(body: $0) }
    }
    precondition(writer.count == size, "another size than announced")
    let target = (isAbsolute ? "http://" + texts[3] : "") + texts[1] + (query.map { "?" + $0 } ?? "")
    let line = Array("\(texts[0]) \(target) HTTP/1.1\r\n".utf8)
    precondition(memory.starts(with: line) && !line.dropLast(2).contains { $0 < 0x20 || $0 > 0x7E })
    precondition(line.count { $0 == 0x20 } == 2, "a target in parts")
    let answer = Array("HTTP/1.1 200 x\r\n".utf8) + memory[line.count...]
    let again = read([answer[...]], .get, ResponseLimits(), 0)
    guard let other = again.answer, again.refusal == nil else {
        precondition(value.count > 4_000_000 || size > 65_000, "unreadable")
        return
    }
    let lines: [([UInt8], [UInt8])] = other.head.lines.map {
        (Array(other.head.bytes[$0.name]), Array(other.head.bytes[$0.value]))
    }
    precondition(lines.count == 3 && lines[0].1 == Array(texts[3].utf8))
    precondition(lines[1].0 == name && lines[1].1 == value && other.body == value && again.canBegin)
}
