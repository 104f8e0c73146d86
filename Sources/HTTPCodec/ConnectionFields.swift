/// The fields that no caller sets: they frame the message or manage the connection, or ask for an answer that the reader
/// refuses.
enum ConnectionFields {
    /// True if the name of `count` bytes from `base` is one of them, without regard to case.
    static func contain(_ base: UnsafeRawPointer, _ count: Int) -> Bool {
        switch count {
        case 2: ByteScan.equals(base, 0, count, "te")
        case 4: ByteScan.equals(base, 0, count, "host")
        case 6: ByteScan.equals(base, 0, count, "expect")
        case 7: ByteScan.equals(base, 0, count, "trailer") || ByteScan.equals(base, 0, count, "upgrade")
        case 10: ByteScan.equals(base, 0, count, "connection") || ByteScan.equals(base, 0, count, "keep-alive")
        case 14: ByteScan.equals(base, 0, count, "content-length")
        case 16: ByteScan.equals(base, 0, count, "proxy-connection")
        case 17: ByteScan.equals(base, 0, count, "transfer-encoding")
        default: false
        }
    }
}
