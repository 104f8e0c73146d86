internal import HTTPCore

/// Headers that go with every request of a flow.
public struct CustomHeaderConfig: Sendable {
    private(set) var headers: [(name: String, value: @Sendable (StepContext) -> String?)] = []

    /// Makes a configuration without headers.
    public init() {}

    /// Adds a header; of two with one name the later wins.
    public mutating func header(name: String, value: String) {
        headers.append((name, { _ in value }))
    }

    /// Adds a header whose value depends on the step; nil leaves it out.
    public mutating func header(name: String, _ value: @escaping @Sendable (StepContext) -> String?) {
        headers.append((name, value))
    }

    /// Fields whose value is a list, which a proxy may join as well (RFC 9110 section 5.3).
    private static let lists: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "forwarded", "prefer", "via",
    ]

    /// Puts the headers of a step on a request.
    func apply(to request: inout Request, in context: StepContext) {
        var values: [(name: String, value: String)] = []
        for header in headers {
            guard let value = header.value(context) else { continue }
            values.removeAll { $0.name.lowercased() == header.name.lowercased() }
            values.append((header.name, value))
        }
        for (name, value) in values {
            request.header(name: name, value: Self.combined(name.lowercased(), value, with: request.header(name)))
        }
    }

    /// The value of a field that an earlier module has set as well.
    private static func combined(_ name: String, _ value: String, with before: String?) -> String {
        guard let before, lists.contains(name) else { return value }
        return name == "accept-language" ? AcceptLanguage.build(before, before: value) : before + ", " + value
    }
}

/// The modules that come with the engine.
public enum Modules {
    /// Sets headers on start and next.
    ///
    /// Registered in override mode it drops the product's own headers; in append mode it adds to them. Of a field whose value
    /// is a list, as `Accept-Language`, the values of all modules go along in the order of their priority, the weights of
    /// languages made anew so that they fall in that order. Any other header replaces one of the same name that an earlier
    /// module has set, so a higher priority number wins.
    public static let customHeader = Module.of({ CustomHeaderConfig() }, name: "custom header") { setup in
        let config = setup.config
        setup.start { context, request in config.apply(to: &request, in: context) }
        setup.next { context, _, request in config.apply(to: &request, in: context) }
    }
}
