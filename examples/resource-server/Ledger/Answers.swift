internal import HTTPServer
internal import JSON
internal import ResourceServer

extension ServerResponse {
    /// What every answer carries: it is about one user, and nobody else's business.
    private static let common = [
        ResponseHeader("Cache-Control", "no-store"), ResponseHeader("X-Content-Type-Options", "nosniff"),
    ]

    static func json(_ status: Int, _ value: JSONValue, _ headers: [ResponseHeader] = []) -> ServerResponse {
        let type = ResponseHeader("Content-Type", "application/json")
        return ServerResponse(status: status, headers: [type] + common + headers, body: value.serialized())
    }

    /// A problem document (RFC 9457).
    static func problem(
        _ status: Int, _ title: String, _ headers: [ResponseHeader] = [], required: JSONObject? = nil
    ) -> ServerResponse {
        var document: JSONObject = ["title": .string(title), "status": JSONValue(Int64(status))]
        if let required { document["required"] = .object(required) }
        let type = ResponseHeader("Content-Type", "application/problem+json")
        return ServerResponse(status: status, headers: [type] + common + headers, body: document.serialized())
    }

    static func methodNotAllowed(_ methods: String) -> ServerResponse {
        problem(405, "The method is not allowed here", [ResponseHeader("Allow", methods)])
    }

    /// The challenge as RFC 6750 and RFC 9470 want it: status, `WWW-Authenticate`, and for people who read bodies the
    /// same once more.
    ///
    /// A caller without a valid token learns nothing about the requirement: `required` is nil then.
    static func challenge(_ challenge: Challenge) -> ServerResponse {
        let title =
            switch challenge.kind {
            case .noToken: "An access token is needed"
            case .invalidRequest: "The request does not carry exactly one access token"
            case .invalidToken: "The access token is not valid here"
            case .insufficientScope: "The access token does not cover this"
            case .insufficientAuthentication: "A stronger or more recent sign-in is needed"
            }
        let header = ResponseHeader("WWW-Authenticate", challenge.header(realm: "ledger"))
        return problem(challenge.status, title, [header], required: challenge.required)
    }
}
