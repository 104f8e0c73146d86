/// A request target as it stood in the connection's buffer, taken down before libmicrohttpd takes it apart.
struct RequestTarget {
    /// The address in memory where the target lay when it was checked.
    let start: UInt
    /// How many bytes it had, up to the first NUL.
    let length: Int
    /// The text; empty when it is refused.
    let text: String
    /// Why it is refused.
    let failure: RequestError?
    /// The refusal cannot wait until the head is complete.
    let mustEndNow: Bool

    /// libmicrohttpd makes a list of the parameters; when they fill its memory it answers nothing at all.
    private static let mostParameters = 256

    /// Copies and checks a target: visible ASCII without `#`, beginning with `/`, or `*`.
    ///
    /// - Parameters:
    ///   - bytes: In the connection's buffer.
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
