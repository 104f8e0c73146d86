internal import BFF
internal import JSON

/// The body of `resume`: exactly one of `handle`, `suspendedId` and `uri`.
enum ResumeBody: Sendable {
    /// The handle that a returning browser was given, and the flow that its tab left for the other site.
    case handle(String, flow: String)
    /// A link that the user opened.
    case link(StartRequest)

    /// The allowed members.
    static let members = ["handle", "flow"] + linkMembers
    /// The names of a link's members: the product reads all but the last.
    private static let linkMembers = ["suspendedId", "uri", "forceAuth", "noSession", "returnTarget"]

    /// The longest handle, in bytes: it holds the sealed parameters of a `return` request.
    private static let longestHandle = 12_288

    /// Reads the body.
    init(_ body: BodyMembers) throws(Problem) {
        try body.allow(only: Self.members)
        let handle = try body.text("handle", upTo: Self.longestHandle)
        let links = try body.own(Array(Self.linkMembers.prefix(2))).values.count
        switch (handle, links) {
        case (let handle?, 0):
            try body.allow(only: ["handle", "flow"])
            guard let flow = try body.text("flow", upTo: 128) else {
                throw Problem(.malformed, member: "flow", .required)
            }
            self = .handle(handle, flow: flow)
        case (nil, 1):
            try body.allow(only: Self.linkMembers)
            var start = StartRequest()
            start.product = try body.own(Self.linkMembers.dropLast())
            start.isResumed = true
            start.returnTarget = try body.text("returnTarget", upTo: 64)
            self = .link(start)
        case (nil, 0): throw Problem(.malformed, member: "handle", .required)
        default: throw Problem(.malformed, "The body has more than one of handle, suspendedId and uri.")
        }
    }
}
