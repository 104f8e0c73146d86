package import BFF
internal import Basics
package import HTTPCore
internal import JSON

extension StartRequest {
    /// Reads the query of a request that begins a journey, as Ping's programs send it.
    ///
    /// `authIndexValue` names the journey, `ForceAuth` and `noSession` are flags, `suspendedId` and `realm` are those
    /// of a link, `locale` is a list of languages. Parameters of a return that came without an answer are dropped. All
    /// others are for AM, if the client's configuration allows them.
    ///
    /// - Throws: `.malformed` and `.notAllowed` with the first parameter that cannot be read, `.repeated`.
    package init(journeyQuery query: QueryParameters) throws(BFFError) {
        if let name = query.firstRepeatedName { throw .repeated(field: name) }
        var members = JSONObject()
        var (more, languages): ([String: String], [String]) = ([:], [])
        for (name, value) in query.pairs {
            switch name {
            case "authIndexType":
                // rule: a page follows no policy advice by itself
                guard value.isSameText(as: "service") else { throw .notAllowed(.parameters) }
            case "authIndexValue": members["journey"] = .string(value)
            case "ForceAuth": members["forceAuth"] = .bool(try Self.flag(name, value))
            case "noSession": members["noSession"] = .bool(try Self.flag(name, value))
            case "suspendedId": break
            case "locale":
                languages = AcceptLanguage.parse(value)
                guard !languages.isEmpty else { throw .malformed(field: name) }
            case _ where Self.dropped.contains(name): break
            default:
                guard name.isPlain(upTo: 64), value.isPlain(upTo: 2048) else { throw .malformed(field: "parameters") }
                more[name] = value
            }
        }
        self.init()
        if let id = query.single("suspendedId") {
            // The journey of a link is that of its id.
            members["journey"] = nil
            var link = QueryParameters()
            link.append("suspendedId", id)
            // The realm of the link is checked where the link is read.
            if let realm = query.single("realm") { link.append("realm", realm) }
            members["uri"] = .string("https://link.invalid/?" + link.encoded)
            isResumed = true
        }
        product = StartMembers(members, link: isResumed ? "uri" : nil)
        uiLocales = languages
        parameters = more
    }

    private static let dropped: Set<String> = [
        "code", "state", "error", "errorCode", "errorMessage", "form_post_entry", "nonce", "RelayState", "responsekey",
        "scope", "realm",
    ]

    private static func flag(_ name: String, _ value: String) throws(BFFError) -> Bool {
        guard let flag = Bool(value) else { throw .malformed(field: name) }
        return flag
    }
}
