internal import Basics
internal import HTTPCore

/// Finds `access_token` among the parameters of a query.
enum TokenInQuery {
    /// - Throws: `.malformed` for a name that cannot be decoded, and so may be `access_token`.
    static func isIn(_ query: Substring) throws(Problem) -> Bool {
        // Split by bytes: as characters, a combining mark behind `&` or `=` would merge with it.
        for pair in query.utf8.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
            let name = Substring(pair.prefix { $0 != UInt8(ascii: "=") })
            guard let name = PercentEncoding.decode(name, plusIsSpace: true) else {
                throw Problem(.malformed, "The query cannot be read.")
            }
            if name.isSameText(as: "access_token") { return true }
        }
        return false
    }
}
