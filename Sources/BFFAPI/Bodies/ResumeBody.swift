internal import BFF
internal import Basics
internal import HTTPCore

/// The body of `resume`: exactly one of `handle`, `suspendedId` and `uri`.
enum ResumeBody: Sendable {
    /// The handle that a returning browser was given, and the flow that its tab left for the other site.
    case handle(String, flow: String)
    /// A link that the user opened.
    case link(StartRequest)

    /// The allowed members.
    static let members = ["handle", "flow"] + linkMembers
    /// The members of a link.
    private static let linkMembers = [
        idName, uriName, "forceAuth", "noSession", "returnTarget",
    ]

    private static let (idName, uriName) = ("suspendedId", "uri")

    /// The longest handle, in bytes: it holds the sealed parameters of a `return` request.
    private static let longestHandle = 12_288
    private static let longestURI = 8192
    private static let longestID = 4096

    /// Reads the body.
    init(_ body: BodyMembers) throws(Problem) {
        try body.allow(only: Self.members)
        let handle = try body.text("handle", upTo: Self.longestHandle)
        let id = try body.text(Self.idName, upTo: Self.longestID)
        let uri = try body.text(Self.uriName, upTo: Self.longestURI)
        switch (handle, id, uri) {
        case (let handle?, nil, nil):
            try body.allow(only: ["handle", "flow"])
            guard let flow = try body.text("flow", upTo: 128) else {
                throw Problem(.malformed, member: "flow", .required)
            }
            self = .handle(handle, flow: flow)
        case (nil, let id?, nil):
            try body.allow(only: Self.linkMembers)
            guard !id.isEmpty else { throw Problem(.malformed, member: Self.idName, .outOfRange) }
            self = .link(try Self.start(JourneyLink(suspendedID: id), body))
        case (nil, nil, let uri?):
            try body.allow(only: Self.linkMembers)
            self = .link(try Self.start(try Self.link(uri), body))
        case (nil, nil, nil): throw Problem(.malformed, member: "handle", .required)
        default: throw Problem(.malformed, "The body has more than one of handle, suspendedId and uri.")
        }
    }

    private static func start(_ link: JourneyLink, _ body: BodyMembers) throws(Problem) -> StartRequest {
        var journey = JourneyStart(forceAuth: try body.flag("forceAuth"), noSession: try body.flag("noSession"))
        journey.link = link
        var start = StartRequest()
        start.product = .journey(journey)
        start.returnTarget = try body.text("returnTarget", upTo: 64)
        return start
    }

    /// The parameters of a link that are used; its host is never read, and the server never fetches the link.
    private static func link(_ uri: String) throws(Problem) -> JourneyLink {
        let address = uri.split(byte: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard let query = WebURL(address).flatMap({ QueryParameters(parsing: $0.query ?? "") }),
            let id = query.single(idName), !id.isEmpty, id.utf8.count <= longestID,
            query.all("realm").count <= 1
        else { throw Problem(.malformed, member: uriName, .outOfRange) }
        return JourneyLink(
            suspendedID: try BodyMembers.checked(id, uriName, longestID), realm: query.single("realm"), member: .uri)
    }
}
