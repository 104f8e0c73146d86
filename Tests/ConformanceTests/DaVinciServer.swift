import Basics
import HTTPCore
import JSON

/// A PingOne environment on loopback: the fixture answers for one address, this for all others.
final class DaVinciServer: Sendable {
    private struct State {
        var origin = ""
        /// The page that a start leads to.
        var page: JSONObject?
        /// What the challenge of the page has come to.
        var status = "approved"
        var code = "c0d3"
    }

    /// `/` and the environment.
    let base: String
    private let fixture: Fixture
    /// The path that the fixture answers for, with the method.
    private let target: (method: String, path: String)
    private let authorization: AuthorizationServer
    private let state = Locked(State())

    init(_ fixture: Fixture, base: String, target: (method: String, path: String), clientID: String) throws {
        self.fixture = fixture
        self.base = base
        self.target = target
        authorization = try AuthorizationServer(clientID: clientID, issuerPath: base + "/as")
    }

    func serve(at origin: String) {
        authorization.serve(at: origin)
        state.withLock { $0.origin = origin }
    }

    /// Lets a start lead to a page.
    func show(_ page: JSONObject, status: String = "approved") {
        state.withLock { ($0.page, $0.status) = (page, status) }
    }

    func issue(_ code: String) { state.withLock { $0.code = code } }

    var issuer: String { authorization.issuer }
    var discovery: String { state.withLock { $0.origin } + base + "/as/.well-known/openid-configuration" }

    func answer(_ request: Received) -> Reply? {
        if request.path == base + "/as/authorize" { authorization.note(request) }
        if request.path == base + "/as/par" { authorization.note(request.inQuery) }
        if request.method == target.method, request.path == target.path { return reply() }
        let (origin, page, status, code) = state.withLock { ($0.origin, $0.page, $0.status, $0.code) }
        let place = origin + base
        switch request.path {
        case base + "/as/.well-known/openid-configuration":
            return .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(place)/as/authorize","token_endpoint":"\(place)/as/token",\
                "jwks_uri":"\(place)/as/jwks","userinfo_endpoint":"\(place)/as/userinfo",\
                "revocation_endpoint":"\(place)/as/revoke","end_session_endpoint":"\(place)/as/signoff",\
                "pushed_authorization_request_endpoint":"\(place)/as/par"}
                """)
        case base + "/as/authorize":
            if let page { return .json(rewritten(.object(page)).text) }
            return .json(#"{"status":"COMPLETED","session":{"id":"s"},"authorizeResponse":{"code":"\#(code)"}}"#)
        case base + "/as/jwks": return authorization.keys
        case base + "/as/token":
            return .json(
                #"{"access_token":"at-1","id_token":"\#(authorization.idToken())","token_type":"Bearer","expires_in":300}"#
            )
        case base + "/as/revoke", base + "/as/signoff": return Reply(200, [], "")
        default:
            if request.path.hasSuffix("/status") {
                return .json(#"{"isChallengeComplete":true,"status":"\#(status)"}"#)
            }
            // What a page leads to that the fixture says nothing of.
            if request.path.contains("/davinci/") {
                return .json(#"{"status":"COMPLETED","authorizeResponse":{"code":"c"}}"#)
            }
            return authorization.answer(request)
        }
    }

    /// The fixture's answer: its links lead here, its state is what was asked, its ID token can be checked.
    private func reply() -> Reply {
        var reply = Reply(fixture)
        guard fixture.body.object != nil else { return reply }
        var body = rewritten(fixture.body)
        if var answer = body["authorizeResponse"]?.object, answer["state"] != nil, var object = body.object {
            answer["state"] = .string(authorization.lastState)
            object["authorizeResponse"] = .object(answer)
            body = .object(object)
        }
        if body["id_token"] != nil, var object = body.object {
            object["id_token"] = .string(authorization.idToken())
            body = .object(object)
        }
        if body["authorization_endpoint"] != nil, let home = body["issuer"]?.string.flatMap({ WebURL($0) })?.origin {
            reply.body = body.text.replacing(home, with: state.withLock { $0.origin })
            return reply
        }
        reply.body = body.text
        return reply
    }

    /// An answer whose links lead here, unless where they lead is what the fixture is about.
    private func rewritten(_ body: JSONValue) -> JSONValue {
        let origin = state.withLock { $0.origin }
        guard fixture.settings?["keepsLinks"] != true, var object = body.object, let links = object["_links"]?.object
        else { return body }
        object["_links"] = .object(
            JSONObject(
                links.map { name, link in
                    guard let url = link["href"]?.string.flatMap({ WebURL($0) }) else { return (name, link) }
                    return (name, ["href": .string(origin + url.path)])
                }))
        return .object(object)
    }
}

extension Received {
    /// The same with its form as its query.
    fileprivate var inQuery: Received {
        Received(method: method, path: path, query: text, headers: headers, body: body)
    }
}
