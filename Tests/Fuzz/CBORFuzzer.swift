// Compiled by run.sh together with the reader of Sources/BFF/WebAuthn, not by the package.

/// One input: what is found in it is a part of it, also where it is a part of something larger, and an addition spoils it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // A copy of exactly this size, so that AddressSanitizer sees the first byte read too far.
    let bytes = [UInt8](UnsafeBufferPointer(start: data, count: count))
    guard let found = CBORReader.byteString("authData", inMap: bytes[...]) else { return 0 }
    precondition(bytes[found.indices].elementsEqual(found))
    precondition(CBORReader.byteString("authData", inMap: (bytes + [0])[...]) == nil)
    precondition(CBORReader.byteString("authData", inMap: bytes.dropLast()) == nil)
    let shifted = [0xFF, 0xFF] + bytes + [0xFF]
    precondition(CBORReader.byteString("authData", inMap: shifted[2..<(2 + count)])?.elementsEqual(found) == true)
    return 0
}
