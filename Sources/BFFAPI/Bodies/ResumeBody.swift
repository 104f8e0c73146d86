internal import BFF
internal import JSON

/// The body of `resume`: either `handle`, or exactly one member with the link of a product.
enum ResumeBody: Sendable {
    /// The handle that a returning browser was given, and the flow that its tab left for the other site.
    case handle(String, flow: String)
    /// A link that the user opened.
    case link(StartRequest)

    /// The members beside a handle.
    private static let handleMembers = ["handle", "flow"]

    /// The longest handle, in bytes: it holds the sealed parameters of a `return` request.
    private static let longestHandle = 12_288

    /// The allowed members, with those that products read.
    static func members(_ own: StartMemberNames) -> [String] { handleMembers + linkMembers(own) }

    private static func linkMembers(_ own: StartMemberNames) -> [String] {
        own.links + own.besideLink + ["returnTarget"]
    }

    /// Reads the body; `own` names the members that products read.
    init(_ body: BodyMembers, own: StartMemberNames) throws(Problem) {
        try body.allow(only: Self.members(own))
        let handle = try body.text("handle", upTo: Self.longestHandle)
        let links = try body.own(own.links).names
        switch (handle, links.count) {
        case (let handle?, 0):
            try body.allow(only: Self.handleMembers)
            guard let flow = try body.text("flow", upTo: 128) else {
                throw Problem(.malformed, member: "flow", .required)
            }
            self = .handle(handle, flow: flow)
        case (nil, 1):
            try body.allow(only: Self.linkMembers(own))
            var start = StartRequest()
            start.product = StartMembers(try body.own(own.links + own.besideLink), link: links[0])
            start.isResumed = true
            start.returnTarget = try body.text("returnTarget", upTo: 64)
            self = .link(start)
        case (nil, 0): throw Problem(.malformed, member: "handle", .required)
        default: throw Problem(.malformed, "The body has a handle and a link, or more than one link.")
        }
    }
}
