internal import HTTPCore

/// Headers that are sent with every request of a flow.
public struct CustomHeaderConfig: Sendable {
    /// One header; `key` is its name in lower case, `isList` is true if proxies may join its values.
    private struct Header {
        let name: String
        let key: String
        let isList: Bool
        let value: @Sendable (StepContext) -> String?

        init(_ name: String, _ value: @escaping @Sendable (StepContext) -> String?) {
            self.name = name
            self.value = value
            key = name.lowercased()
            isList = lists.contains(key)
        }
    }

    private var headers: [Header] = []

    /// Makes a configuration without headers.
    public init() {}

    /// Adds a header; a later header of the same name replaces an earlier one.
    public mutating func header(name: String, value: String) {
        headers.append(Header(name) { _ in value })
    }

    /// Adds a header whose value depends on the step; nil leaves it out.
    public mutating func header(name: String, _ value: @escaping @Sendable (StepContext) -> String?) {
        headers.append(Header(name, value))
    }

    /// Fields whose value is a list, so that a proxy may join several into one (RFC 9110 section 5.3).
    private static let lists: Set = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "forwarded", "prefer", "via",
    ]

    /// Adds the headers of a step to a request.
    func apply(to request: inout Request, in context: StepContext) {
        var values: [(header: Header, value: String)] = []
        for header in headers {
            guard let value = header.value(context) else { continue }
            values.removeAll { $0.header.key == header.key }
            values.append((header, value))
        }
        for (header, value) in values {
            request.setHeader(name: header.name, value: Self.combined(header, value, in: request))
        }
    }

    /// The value of a field, combined with the value that an earlier module may have set.
    private static func combined(_ header: Header, _ value: String, in request: Request) -> String {
        guard header.isList, let before = request.header(header.name) else { return value }
        return header.key == "accept-language" ? AcceptLanguage.build(before, before: value) : before + ", " + value
    }
}

/// The modules that come with the engine.
public enum Modules {
    /// Sets headers on start and next.
    ///
    /// Registered in override mode it drops the product's own headers; in append mode it adds to them. Of a field whose
    /// value is a list, such as `Accept-Language`, the values of all modules are sent in the order of their priority,
    /// and the weights of languages are recomputed to fall in that order. Any other header replaces one of the same
    /// name that an earlier module has set, so a higher priority number wins.
    public static let customHeader = Module.of({ CustomHeaderConfig() }, name: "custom header") { setup in
        let config = setup.config
        setup.start { context, request in config.apply(to: &request, in: context) }
        setup.next { context, _, request in config.apply(to: &request, in: context) }
    }
}
