internal import COpenSSL

/// Compares two secrets in a time that depends on their length only.
///
/// - Returns: True if both have the same bytes; false at once when their lengths differ, so the length is not hidden.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEquals(left, right) } }
}

func constantTimeEquals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, left.count) == 0
}
