import Cloakroom
import HTTPCore
import JSON
import Testing

extension Browser {
    /// Leaves by the page's `go` and does at the simulator's other provider what the button says.
    ///
    /// - Returns: The address that leads back.
    func leave(_ page: Answer, _ decision: String) async throws -> String {
        try await leave(at: try #require(page["callbacks.0.go"]?.string), decision)
    }

    /// Leaves by the path of a `go`.
    func leave(at path: String, _ decision: String) async throws -> String {
        let out = try await call(.get, path, headers: ["x-csrf": nil])
        let address = try #require(out.location)
        let text = address.split(separator: "?", maxSplits: 1).last ?? ""
        var form = try #require(QueryParameters(parsing: text.prefix { $0 != "#" }))
        form.append("user", "alice")
        form.append("decision", decision)
        let site = try #require(address.split(separator: "/authorize").first)
        return try #require(try await open(site + "/decision", form: form).location)
    }

    /// Comes back by an address as a browser does, with the cookie of the departure alone.
    func comeBack(_ address: String) async throws -> Answer {
        try await open(address, cookies: departure)
    }

    /// The body of `resume`: what came back, and the flow whose page was left.
    static func back(_ handle: String, _ page: Answer) -> JSONValue {
        ["handle": .string(handle), "flow": page["flow"] ?? .null]
    }

    /// The cookies of a browser that has moved to another server, with that of the departure from the first one.
    func cookies(_ browser: Browser, from first: Bench, at second: Bench) async throws -> String {
        let left = try #require(await browser.departure)
        return "\(cookie ?? ""); " + left.replacing("\(first.server.port)", with: "\(second.server.port)")
    }

    /// The cookie of a departure, as the field `Cookie` says it.
    var departure: String? {
        (cookie ?? "").split(separator: "; ").first { $0.contains("-return=") }.map { String($0) }
    }
}

extension Browser.Answer {
    /// What follows `name=` behind the `#` of the address that it leads to.
    func news(_ name: String) throws -> String {
        let parts = try #require(location).split(separator: "#\(name)=")
        return try #require(parts.count == 2 ? String(parts[1]) : nil)
    }
}
