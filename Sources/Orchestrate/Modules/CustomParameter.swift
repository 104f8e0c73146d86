/// Query parameters that are added to the requests of a flow.
public struct CustomParameterConfig: Sendable {
    /// The requests that carry a parameter.
    public enum Phase: Sendable {
        /// The first request of the flow.
        case start
        /// The requests that carry answers.
        case next
        /// All requests of the flow.
        case both
    }

    private(set) var parameters: [(name: String, value: String, phase: Phase)] = []

    /// Makes a configuration without parameters.
    public init() {}

    /// Adds a parameter.
    public mutating func parameter(name: String, value: String, in phase: Phase = .both) {
        parameters.append((name, value, phase))
    }
}

extension Modules {
    /// Appends query parameters on start, next or both.
    public static let customParameter = Module.of({ CustomParameterConfig() }, name: "custom parameter") { setup in
        let parameters = setup.config.parameters
        setup.start { _, request in
            for parameter in parameters where parameter.phase != .next {
                request.parameter(name: parameter.name, value: parameter.value)
            }
        }
        setup.next { _, _, request in
            for parameter in parameters where parameter.phase != .start {
                request.parameter(name: parameter.name, value: parameter.value)
            }
        }
    }
}
