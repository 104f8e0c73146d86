internal import BFF
internal import Basics
internal import Cryptography
internal import HTTPServer
internal import JSON

/// The operations of the admin listener on the sessions of a user; each call carries the token of an operator.
///
/// The user is in the body, not in the address, so that no access log has it.
struct AdminSessions: Sendable {
    /// The most bytes of a body.
    private static let bodyLimit = 4 << 10
    /// The most bytes of an issuer, a subject and the id of a session.
    private static let longestName = 1024

    private let ends: RemoteEnds
    private let token: Secret<String>

    init(_ ends: RemoteEnds, token: Secret<String>) {
        self.ends = ends
        self.token = token
    }

    /// Answers a call whose method fits its path.
    func answer(_ call: IncomingCall, _ operation: AdminOperation) async throws(Problem) -> OperationAnswer {
        let context = CallContext(
            cookie: nil, deadline: call.request.deadline - .milliseconds(500), requestID: call.id,
            address: call.address.text, began: call.request.began)
        // rule: an operator is known before the body is read
        try checkToken(call.request, context)
        _ = try RequestQuery(call.request)
        let body = try BodyReader.members(
            try await BodyReader.read(call.request, upTo: Self.bodyLimit), isOptional: false)
        switch operation {
        case .listUserSessions:
            try body.allow(only: ["sub_id"])
            let user = try user(body)
            let sessions = try await asking { () throws(BFFError) in try await ends.sessions(of: user) }
            return .reply(SessionListDocument.document(sessions, marksOwn: false), .keep)
        case .endUserSessions: return .reply(try await end(body, context), .keep)
        default:
            // Further members of a token revocation are for other receivers.
            let user = try user(body)
            _ = try await asking { () throws(BFFError) in try await ends.endAll(of: user, context) }
            return .reply([], .keep)
        }
    }

    private func end(_ body: BodyMembers, _ context: CallContext) async throws(Problem) -> [UInt8] {
        try body.allow(only: ["sub_id", "session", "before", "everyone"])
        let before = try body.number("before", upTo: 1 << 40)
        if try body.flag("everyone") {
            try body.refuse(beside: ["everyone", "before"])
            // rule: all users are signed out up to an instant that is said
            guard before > 0 else { throw Problem(.malformed, member: "before", .required) }
            let until = Timestamp(seconds: before - 1)
            return SessionListDocument.ended(
                try await asking { () throws(BFFError) in try await ends.endEveryone(until: until, context) })
        }
        let user = try user(body)
        if let id = try body.text("session", upTo: Self.longestName) {
            // Members that say nothing, as clients write them that fill in every member, are none.
            guard before == 0 else { throw Problem(.malformed, member: "before", .unknown) }
            try await asking { () throws(BFFError) in try await ends.end(id: id, of: user, context) }
            return SessionListDocument.ended(1)
        }
        let until = before > 0 ? Timestamp(seconds: before - 1) : nil
        return SessionListDocument.ended(
            try await asking { () throws(BFFError) in try await ends.endAll(of: user, until: until, context) })
    }

    /// Reads the user from a subject identifier of format `iss_sub` (RFC 9493 section 3.2.1).
    private func user(_ body: BodyMembers) throws(Problem) -> RemoteEnds.User {
        let subject = try body.object("sub_id")
        guard subject["format"]?.string?.isSameText(as: "iss_sub") == true, let issuer = subject["iss"]?.string,
            let name = subject["sub"]?.string, [issuer, name].allSatisfy({ 1...Self.longestName ~= $0.utf8.count })
        else { throw Problem(.malformed, member: "sub_id", .outOfRange) }
        return RemoteEnds.User(issuer: issuer, subject: name)
    }

    private func checkToken(_ request: ServerRequest, _ context: CallContext) throws(Problem) {
        let scheme = "Bearer "
        guard let field = request.headers.single("authorization"), field.utf8.count > scheme.utf8.count,
            field.prefix(scheme.utf8.count).lowercased().isSameText(as: "bearer ")
        else { throw refused(.tokenRequired, context) }
        let sent = Array(field.utf8.dropFirst(scheme.utf8.count))
        // rule: an operator has the token
        guard constantTimeEquals(Digest.hash(sent), Digest.hash(Array(token.reveal().utf8))) else {
            throw refused(.invalidToken, context)
        }
    }

    private func refused(_ type: ProblemType, _ context: CallContext) -> Problem {
        ends.refuse(reason: type.rawValue, context)
        var problem = Problem(type)
        problem.headers = [ResponseHeader("WWW-Authenticate", "Bearer realm=\"cloakroom admin\"")]
        return problem
    }

    private func asking<Value>(_ operation: () async throws(BFFError) -> Value) async throws(Problem) -> Value {
        do throws(BFFError) { return try await operation() } catch { throw Problem(error) }
    }
}
