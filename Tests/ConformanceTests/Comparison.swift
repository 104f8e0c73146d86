import Basics
import HTTPCore
import JSON

/// Finds what differs between an exchange and its fixture.
struct Comparison: Sendable {
    private(set) var differences: [String] = []

    mutating func differs(_ text: String) {
        differences.append(text)
    }

    mutating func equal<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) {
        if found != expected { differs("\(what): found \(found), expected \(expected)") }
    }

    /// Compares a request with that of a fixture.
    ///
    /// Mapped are host, realm spelling, platform, and the parameters that are random or optional.
    mutating func request(_ found: Received?, _ fixture: Fixture, mapped: Set<String> = [], optional: Set<String> = [])
    {
        guard let expected = fixture.request else { return }
        guard let found else { return differs("request: none was received") }
        equal("method", found.method, expected["method"]?.string ?? "")
        let url = WebURL(expected["url"]?.string ?? "")
        equal("path", Self.canonical(found.path), Self.canonical(url?.path ?? ""))
        var query = QueryParameters(parsing: url?.query ?? "") ?? QueryParameters()
        for (name, value) in expected["query"]?.object ?? [:] { query.append(name, value.string ?? value.text) }
        pairs("query", found.parameters, query, mapped: mapped, optional: optional)
        for (name, value) in expected["headers"]?.object ?? [:] {
            header(name, found.header(name), value.string ?? "")
        }
        for (name, value) in expected["cookies"]?.object ?? [:] {
            let sent = (found.header("Cookie") ?? "").split(separator: "; ").map(String.init)
            if !sent.contains("\(name)=\(value.string ?? "")") { differs("cookie \(name): not sent") }
        }
        if let object = expected["form"]?.object {
            var form = QueryParameters()
            for (name, value) in object { form.append(name, value.string ?? value.text) }
            return pairs("form", found.form, form, mapped: mapped, optional: optional)
        }
        switch expected["body"] {
        case nil: equal("body", found.text, "")
        case .string(let form):
            pairs(
                "form", found.form, QueryParameters(parsing: form) ?? QueryParameters(), mapped: mapped,
                optional: optional)
        case let json?:
            guard let body = try? JSONValue(parsing: found.body) else { return differs("body: not JSON") }
            if body != json { differs("body: found \(body.text), expected \(json.text)") }
        }
    }

    /// Names and values in any order; a mapped name must be there with any value, an optional one may be added.
    private mutating func pairs(
        _ what: String, _ found: QueryParameters, _ expected: QueryParameters, mapped: Set<String>,
        optional: Set<String>
    ) {
        func texts(_ parameters: QueryParameters) -> [String] {
            parameters.pairs.map { mapped.contains($0.name) ? $0.name : "\($0.name)=\($0.value)" }.sorted()
        }
        let wanted = Set(expected.pairs.map(\.name))
        var reduced = QueryParameters()
        for pair in found.pairs where wanted.contains(pair.name) || !optional.contains(pair.name) {
            reduced.append(pair.name, pair.value)
        }
        equal(what, texts(reduced), texts(expected))
    }

    private mutating func header(_ name: String, _ found: String?, _ expected: String) {
        switch name.lowercased() {
        case "x-requested-platform":
            if found?.isEmpty ?? true { differs("header \(name): missing") }
        case "accept-api-version":
            func parts(_ text: String) -> Set<String> {
                Set(text.split(separator: ",").map { String($0.drop { $0 == " " }) })
            }
            equal("header \(name)", parts(found ?? ""), parts(expected))
        default:
            equal("header \(name)", found ?? "", expected)
        }
    }

    /// One spelling for a realm's path.
    static func canonical(_ path: String) -> String {
        let root = "/realms/root/realms/"
        guard let range = path.firstRange(of: root) else { return path }
        return path[..<range.lowerBound] + "/realms/" + path[range.upperBound...]
    }

    /// Names the members of `expect` that nobody compared.
    mutating func known(_ expect: JSONObject, _ names: Set<String>) {
        for name in expect.names where !names.contains(name) {
            differs("expect.\(name): this replay does not know the member")
        }
    }
}
