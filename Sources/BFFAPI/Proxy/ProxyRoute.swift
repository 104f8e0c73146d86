internal import BFF
internal import HTTPCore

/// A route as it is served.
struct ProxyRoute: Sendable {
    let settings: RouteSettings
    /// The segments of the path.
    let segments: [String]
    /// Bounds the calls that are under way to the API.
    let slots: Slots
    /// By method: rounds of step-ups are counted apart where one API asks more of a POST than of a GET.
    private let definitions: [HTTPMethod: RouteDefinition]

    init(_ settings: RouteSettings) {
        self.settings = settings
        segments = settings.path.split(separator: "/").map(String.init)
        slots = Slots(settings.concurrency)
        var definitions: [HTTPMethod: RouteDefinition] = [:]
        for method in settings.methods {
            var definition = settings.route
            definition.id = "\(method.rawValue) \(settings.path)"
            definitions[method] = definition
        }
        // A GET without the body is a GET (RFC 9110 section 9.3.2).
        if definitions[.head] == nil { definitions[.head] = definitions[.get] }
        self.definitions = definitions
    }

    /// What a call with the method needs; nil when the route does not take it.
    func definition(_ method: HTTPMethod) -> RouteDefinition? { definitions[method] }

    /// The methods, for `Allow` and preflights.
    var methods: [HTTPMethod] {
        settings.methods.flatMap { $0 == .get && !settings.methods.contains(.head) ? [.get, .head] : [$0] }
    }

    /// Whether the path is the route's or below it, segment by segment and byte by byte: `String` takes different
    /// spellings of one character for the same, APIs do not.
    func covers(_ path: RequestPath) -> Bool {
        path.segments.count >= segments.count
            && zip(segments, path.segments).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Whether a failed call may be sent again after its token was renewed.
    func mayReplay(_ method: HTTPMethod) -> Bool {
        method == .get || method == .head || settings.replay
    }
}
