package import BFF
internal import Basics
internal import HTTPCore

/// The members of a start that only journeys have.
package struct JourneyStart: Sendable {
    /// The name of the journey; nil for the client's first one.
    let journey: String?
    /// Runs the whole flow although a provider session exists.
    let forceAuth: Bool
    /// Makes no provider session; nothing is signed in.
    let noSession: Bool
    /// The id of the suspended journey that the start resumes, good for one use; nil for a new journey.
    private(set) var suspendedID: String?
    /// The realm that the link of a suspended journey names; nil where it names none.
    private(set) var realm: String?

    /// The names of the members in the bodies of `start` and `resume`.
    package static let members = StartMemberNames(
        start: ["journey", "forceAuth", "noSession"], links: ["suspendedId", "uri"],
        besideLink: ["forceAuth", "noSession"])

    /// Reads the members.
    ///
    /// Of a link it reads the id and the realm; it ignores the host and never fetches the link.
    ///
    /// - Throws: `.malformed` with the first member that cannot be read, `.notAllowed` with a member of another product.
    package init(_ members: StartMembers) throws(BFFError) {
        let (idName, longestID) = ("suspendedId", 4096)
        try members.allow(only: Self.members.start + Self.members.links)
        journey = try members.text("journey", upTo: 256)
        forceAuth = try members.flag("forceAuth")
        noSession = try members.flag("noSession")
        suspendedID = try members.text(idName, upTo: longestID)
        guard suspendedID?.isEmpty != true else { throw .malformed(field: idName) }
        guard let uri = try members.text("uri", upTo: 8192) else { return }
        let address = uri.split(byte: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard let query = WebURL(address).flatMap({ QueryParameters(parsing: $0.query ?? "") }),
            let id = query.single(idName), !id.isEmpty, id.isPlain(upTo: longestID), query.all("realm").count <= 1
        else { throw .malformed(field: "uri") }
        (suspendedID, realm) = (id, query.single("realm"))
    }
}

extension StartMember {
    /// The name of the journey that a start runs.
    package static let journey = StartMember(rawValue: "journey")
}
