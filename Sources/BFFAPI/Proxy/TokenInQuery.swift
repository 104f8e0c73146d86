internal import HTTPCore

/// Finds `access_token` among the parameters of a query.
enum TokenInQuery {
    /// - Throws: `.malformed` for a name that cannot be decoded: then nobody can say.
    static func isIn(_ query: Substring) throws(Problem) -> Bool {
        for pair in query.split(whereSeparator: { $0 == "&" || $0 == ";" }) {
            let name = pair.prefix { $0 != "=" }
            guard let name = PercentEncoding.decode(name, plusIsSpace: true) else {
                throw Problem(.malformed, "The query cannot be read.")
            }
            if name == "access_token" { return true }
        }
        return false
    }
}
