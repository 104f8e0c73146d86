internal import HTTPServer
internal import ResourceServer

extension Problem {
    private static let ofMachine: StaticString = "The access token is of a client, and this is for users."

    /// A challenge to a bearer caller: the header field of RFC 6750 and RFC 9470, and a problem document that says the
    /// same.
    init(_ challenge: Challenge) {
        switch challenge.kind {  // no default: a new kind must choose its problem here
        case .noToken: self.init(.tokenRequired)
        case .invalidRequest: self.init(.malformed, "The request does not carry exactly one bearer token.")
        case .invalidToken: self.init(.invalidToken)
        case .insufficientScope:
            self.init(.insufficientScope, challenge.requirement == nil ? Self.ofMachine : nil)
        case .insufficientAuthentication: self.init(.insufficientUserAuthentication)
        }
        headers = [ResponseHeader("WWW-Authenticate", challenge.header(realm: "cloakroom"))]
        required = challenge.required
    }
}
