/// One header field of a response, checked once when it is made.
public struct ResponseHeader: Sendable, Hashable {
    /// What becomes of a field.
    enum Fate: Sendable {
        /// Sent as it is.
        case send
        /// The listener sets this one itself, or it has no value.
        case drop
        /// `Connection: close`.
        case close
        /// Not a field: the response would be split or cut.
        case broken
    }

    /// The name as it is sent.
    public let name: String
    /// The value as it is sent.
    public let value: String
    let fate: Fate

    /// A field.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110 section 5.6.2).
    ///   - value: Without control characters; a response that breaks this is replaced by a 500 and logged.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
        fate = Self.judge(name, value)
    }

    private static func judge(_ name: String, _ value: String) -> Fate {
        guard !name.isEmpty, name.utf8.allSatisfy(RequestHeadParser.isToken),
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { return .broken }
        switch name.utf8.count {
        case 4, 10, 14, 17: break
        default: return value.isEmpty ? .drop : .send
        }
        switch name.lowercased() {
        case "date", "content-length", "transfer-encoding": return .drop
        case "connection": return value.lowercased() == "close" ? .close : .drop
        default: return value.isEmpty ? .drop : .send
        }
    }
}
