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
}

/// The modules that come with the engine.
public enum Modules {
    /// Sets headers on start and next.
    ///
    /// Registered in override mode it drops the product's own headers; in append mode it adds to them. A header replaces
    /// one of the same name that an earlier module has set, so a higher priority number wins.
    public static let customHeader = Module.of({ CustomHeaderConfig() }, name: "custom header") { setup in
        let headers = setup.config.headers
        setup.start { context, request in
            for header in headers {
                if let value = header.value(context) { request.header(name: header.name, value: value) }
            }
        }
        setup.next { context, _, request in
            for header in headers {
                if let value = header.value(context) { request.header(name: header.name, value: value) }
            }
        }
    }
}
