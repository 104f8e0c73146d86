/// A copy of the request target, made before libmicrohttpd splits the target in the connection's buffer.
struct RequestTarget {
    /// The address in memory where the target lay when it was checked.
    let start: UInt
    /// The number of its bytes, up to the first NUL.
    let length: Int
    /// The text of the target; empty when the target is refused.
    let text: String
    /// The reason why the target is refused; nil when it is not.
    let failure: RequestError?
    /// True if the refusal cannot wait until the head is complete.
    let mustEndNow: Bool

    /// The most `&` in a target.
    ///
    /// libmicrohttpd makes a list of the parameters; if the list fills its memory, it sends no response at all.
    private static let mostParameters = 256

    /// Copies and checks a target: visible ASCII without `#`, beginning with `/`, or `*`.
    ///
    /// - Parameters:
    ///   - bytes: The target in the connection's buffer.
    ///   - limit: The most bytes to accept.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) {
        start = UInt(bitPattern: bytes.baseAddress)
        length = bytes.count
        var broken = false
        var parameters = 0
        for byte in bytes {
            broken = broken || byte &- 0x21 > 0x5D || byte == UInt8(ascii: "#")
            if byte == UInt8(ascii: "&") { parameters += 1 }
        }
        let isStar = bytes.count == 1 && bytes[0] == UInt8(ascii: "*")
        mustEndNow = parameters > Self.mostParameters
        if bytes.count > limit || mustEndNow {
            failure = .targetTooLong
        } else if broken {
            failure = .malformed
        } else if bytes.first != UInt8(ascii: "/"), !isStar {
            failure = .target
        } else {
            failure = nil
        }
        text = failure == nil ? String(decoding: bytes, as: UTF8.self) : ""
    }
}
