/// Which header fields of a handler's response go out.
enum ResponseFields {
    /// What becomes of a field.
    enum Verdict {
        /// Sent as it is.
        case send
        /// The listener sets this one itself, or it has no value.
        case drop
        /// `Connection: close`.
        case close
        /// Not a field: the response would be split or cut.
        case broken
    }

    static func judge(_ header: ResponseHeader) -> Verdict {
        var name = header.name
        var value = header.value
        let isSound =
            name.withUTF8 { name in
                !name.isEmpty && name.allSatisfy(RequestHeadParser.isToken)
            }
            && value.withUTF8 { value in
                var broken = false
                for byte in value { broken = broken || byte < 0x20 && byte != 0x09 || byte == 0x7F }
                return !broken
            }
        guard isSound else { return .broken }
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

    static func mayBeSent(_ header: ResponseHeader) -> Bool {
        judge(header) == .send
    }
}
