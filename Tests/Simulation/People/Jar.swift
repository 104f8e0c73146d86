/// The cookies that a browser has for the server.
struct Jar: Equatable, Sendable {
    private(set) var cookies: [String: String] = [:]
    /// Those by which somebody is known who comes back from another site; they open no session.
    private(set) var waysBack: [String: String] = [:]

    /// What stands in `Cookie`; nil for an empty jar.
    var field: String? {
        let all = cookies.merging(waysBack) { own, _ in own }
        return all.isEmpty
            ? nil : all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    /// The values in it.
    var values: [String] { cookies.sorted { $0.key < $1.key }.map(\.value) }

    /// What comes along when another site begins a navigation.
    var fromElsewhere: Jar {
        var jar = Jar()
        jar.waysBack = waysBack
        return jar
    }

    mutating func set(_ name: String, _ value: String?) {
        if Self.isWayBack(name) { waysBack[name] = value } else { cookies[name] = value }
    }

    /// Whether a cookie of this name opens no session.
    static func isWayBack(_ name: String) -> Bool { name.hasSuffix("-return") }

    func contains(_ value: String) -> Bool { cookies.values.contains { $0 == value } }

    /// A cookie in the trace: the end of its name, where that is not the usual one, and the end of its value.
    static func text(_ name: String, _ value: String = "") -> String {
        let kind = name.hasSuffix("cloakroom") ? "cookie" : String(name.suffix(6))
        return value.isEmpty ? kind : "\(kind)=\(value.suffix(4))"
    }

    /// The jar in the trace.
    var text: String {
        let all = cookies.merging(waysBack) { own, _ in own }
        return all.isEmpty
            ? "no cookie"
            : all.sorted { $0.key < $1.key }.map { Self.text($0.key, $0.value) }.joined(separator: " ")
    }
}

/// A value of a cookie that the server gave out, whether or not it came.
struct GivenCookie {
    let name: String
    let value: String
    /// Which session it is of.
    let tag: String
    let at: Duration
    /// The request whose answer carried it first.
    let request: String
    /// Whether the answer that carried it signed in.
    let isSignedIn: Bool
    /// When the server gave out another one for the same session.
    var replaced: Duration?
    /// When a request that went out with it was first answered: its predecessors are over from then on.
    var seen: Duration?

    init(_ name: String, _ value: String, isSignedIn: Bool, by request: String, at now: Duration) {
        self.name = name
        self.value = value
        tag = Self.tag(of: value)
        at = now
        self.request = request
        self.isSignedIn = isSignedIn
    }

    /// The part of a value that names the session.
    static func tag(of value: String) -> String { String(value.prefix { $0 != "." }) }
}
