// Compiled by run.sh and linked with DaVinciClient, not by the package.

@testable import DaVinciClient

/// One input: a pattern, the end of a line, and a text.
///
/// The work has its bound, and what means the same finds the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: data, count: count)
    let parts = input.split(separator: 10, maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first else { return 0 }
    let (source, text) = (
        String(decoding: first, as: UTF8.self), String(decoding: parts.dropFirst().joined(), as: UTF8.self)
    )
    guard let pattern = Pattern(source) else { return 0 }
    let found = pattern.search(text)
    precondition(found.work < Pattern.mostWork + 20_000, "too much work")
    for same in ["(?:\(source))", "(\(source))", "\(source)|\(source)", "(?:\(source)){1}"] {
        guard found.work < Pattern.mostWork, let other = Pattern(same)?.search(text), other.work < Pattern.mostWork
        else { continue }
        precondition(other.isFound == found.isFound, "\(source) and \(same)")
    }
    return 0
}
