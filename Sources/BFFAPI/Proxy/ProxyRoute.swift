internal import BFF
internal import Basics
internal import HTTPCore

/// A route as the server uses it.
struct ProxyRoute: Sendable {
    let settings: RouteSettings
    /// The segments of the path.
    let segments: [String]
    /// The segments as lenient servers read them, see `FoldedPath`.
    let folded: [[UInt8]]
    /// Bounds the calls in flight to the API; a call that waits for its body takes no slot.
    let slots: CallSlots
    /// The definition by method: step-up attempts are counted apart, because an API may demand more of a POST than of a
    /// GET.
    private let definitions: [HTTPMethod: RouteDefinition]

    init(_ settings: RouteSettings, slots: CallSlots = CallSlots()) {
        self.settings = settings
        segments = settings.path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        folded = FoldedPath.fold(segments)
        self.slots = slots
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

    /// The demands on a call with the method; nil when the route does not take it.
    func definition(_ method: HTTPMethod) -> RouteDefinition? { definitions[method] }

    /// The methods of the route, for `Allow` and preflights.
    var methods: [HTTPMethod] { settings.servedMethods }

    /// True if another route, whose path is not shorter, may demand more than this one.
    func mayBeWeaker(than other: ProxyRoute) -> Bool {
        guard other.segments.count >= segments.count else { return false }
        let (own, its) = (settings.route, other.settings.route)
        let mayDiffer = own.clients != its.clients
        return switch (own.demand, its.demand) {
        case (_, .none): false
        case (.none, _), (.signedIn, .requirement): true
        case (.signedIn, .signedIn): mayDiffer
        // By the minimums of its clients; the settings refuse such a route where the overlap is not allowed.
        case (.requirement, .signedIn): settings.insecureOverlap && mayDiffer
        case (.requirement(let name), .requirement(let other)):
            !name.isSameText(as: other) || settings.insecureOverlap && mayDiffer
        }
    }

    /// True if a call with the method may have a body: with methods other than these a body has no meaning (RFC 9110
    /// section 9.3).
    func takesBody(_ method: HTTPMethod) -> Bool {
        switch method {
        case .post, .put, .patch: true
        case .get, .delete: settings.bodies
        default: false
        }
    }

    /// True if the path is the route's or below it, compared segment by segment and byte by byte: `String` equates
    /// different spellings of one character, APIs do not.
    func covers(_ path: RequestPath) -> Bool {
        path.segments.count >= segments.count
            && zip(segments, path.segments).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// True if a call may be sent again after its token was renewed.
    func mayReplay(_ method: HTTPMethod) -> Bool {
        method == .get || method == .head || settings.replay
    }
}
