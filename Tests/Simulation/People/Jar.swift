/// The cookies that a browser has for the server.
struct Jar: Equatable, Sendable {
    private(set) var cookies: [String: String] = [:]

    /// What stands in `Cookie`; nil for an empty jar.
    var field: String? {
        cookies.isEmpty
            ? nil : cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
    }

    /// The values in it.
    var values: [String] { cookies.sorted { $0.key < $1.key }.map(\.value) }

    mutating func set(_ name: String, _ value: String?) { cookies[name] = value }

    func contains(_ value: String) -> Bool { cookies.values.contains { $0 == value } }

    /// A cookie in the trace: the end of its name, where that is not the usual one, and the end of its value.
    static func text(_ name: String, _ value: String = "") -> String {
        let kind = name.hasSuffix("cloakroom") ? "cookie" : String(name.suffix(6))
        return value.isEmpty ? kind : "\(kind)=\(value.suffix(4))"
    }

    /// The jar in the trace.
    var text: String {
        cookies.isEmpty
            ? "no cookie"
            : cookies.sorted { $0.key < $1.key }.map { Self.text($0.key, $0.value) }.joined(separator: " ")
    }
}

/// A value of a cookie that the server gave out, whether or not it came.
struct GivenCookie {
    let name: String
    let value: String
    /// Which session it is of.
    let tag: String
    let at: Duration
    /// Whether the answer that carried it signed in.
    let isSignedIn: Bool
    /// When the server gave out another one for the same session.
    var replaced: Duration?
    /// When a request that went out with it was first answered: its predecessors are over from then on.
    var seen: Duration?

    init(_ name: String, _ value: String, isSignedIn: Bool, at now: Duration) {
        self.name = name
        self.value = value
        tag = Self.tag(of: value)
        at = now
        self.isSignedIn = isSignedIn
    }

    /// The part of a value that names the session.
    static func tag(of value: String) -> String { String(value.prefix { $0 != "." }) }
}
