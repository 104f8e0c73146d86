import HTTPCore
import IdentitySimulator
import JSON
import Testing

@Suite("The sessions API of the simulator as OpenAM")
struct OpenAMSessionsTests {
    private struct Row {
        let version: String?
        let action: String
        let status: Int
        let text: String
    }

    private static let unknown = #"{"code":404,"reason":"Not Found","message":"Resource &#39;&#39; not found"}"#
    private static let ended = #"{"result":"Successfully logged out"}"#
    private static let valid = #"{"valid":true,"uid":"demo","realm":"/alpha"}"#

    private static func missing(_ action: String) -> String {
        #"{"code":501,"reason":"Not Implemented","message":"Action \#(action) not implemented for this resource"}"#
    }

    private static var rows: [Row] {
        var rows: [Row] = []
        for version in ["4.0", "3.1", "3.0", "2.1"] {
            for action in ["getSessionInfo", "validate", "logout"] {
                rows.append(
                    Row(version: "resource=\(version), protocol=1.0", action: action, status: 404, text: unknown))
            }
        }
        for version in ["resource=2.0, protocol=1.0", "protocol=1.0", nil] {
            rows.append(Row(version: version, action: "getSessionInfo", status: 200, text: #"{"username":"demo""#))
            rows.append(Row(version: version, action: "validate", status: 501, text: missing("validate")))
            rows.append(Row(version: version, action: "logout", status: 200, text: ended))
        }
        for version in ["1.2", "1.1", "1.0"] {
            let field = "resource=\(version), protocol=1.0"
            rows.append(Row(version: field, action: "getSessionInfo", status: 501, text: missing("getSessionInfo")))
            rows.append(Row(version: field, action: "validate", status: 200, text: valid))
            rows.append(Row(version: field, action: "logout", status: 200, text: ended))
        }
        return rows
    }

    @Test("serves each action in the versions in which it was seen, and ends a session only where it says so")
    func versions() async throws {
        try await withOpenAM { realm in
            for row in Self.rows {
                let session = try await realm.signIn()
                let reply = try await realm.sessions(row.action, session, version: row.version)
                #expect(reply.status == row.status, "\(row)")
                #expect(reply.text.hasPrefix(row.text), "\(row)")
                #expect(try await realm.lives(session) == (row.text != Self.ended), "\(row)")
            }
        }
    }

    @Test("answers a dead session 401, and false to who asks whether it is valid")
    func dead() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            #expect(try await realm.sessions("logout", session, version: nil).status == 200)
            for (action, version) in [("getSessionInfo", "2.0"), ("logout", "2.0"), ("logout", "1.2")] {
                let reply = try await realm.sessions(action, session, version: "resource=\(version)")
                #expect(reply.status == 401)
                #expect(reply.text == #"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#)
            }
            #expect(
                try await realm.sessions("validate", session, version: "resource=1.2").text == #"{"valid":false}"#)
        }
    }

    @Test("takes the session from header and cookie, in version 1 from the path, never from the body")
    func transport() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let path = "\(Realm.json)/sessions"
            let old = ("Accept-API-Version", "resource=1.2")
            let new = ("Accept-API-Version", "resource=2.0")
            let byCookie = try await realm.post(
                "\(path)?_action=validate", json: [:], headers: [old, realm.cookie(session)])
            #expect(byCookie.json["valid"] == true)
            let named = try await realm.post("\(path)/\(session)?_action=validate", json: [:], headers: [old])
            #expect(named.json["valid"] == true)
            #expect(
                try await realm.post("\(path)/\(session)?_action=validate", json: [:], headers: [new]).status == 404)
            let body = try await realm.post(
                "\(path)?_action=getSessionInfo", json: ["tokenId": .string(session)], headers: [new])
            #expect(body.status == 401)
            let nobody = try await realm.sessions("validate", nil, version: "resource=1.2")
            #expect(nobody.status == 400)
            #expect(nobody.json["message"] == "iPlanetDirectoryCookie not set on request")
        }
    }

    @Test("refuses what it does not know")
    func refusals() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            for action in ["refresh", "frob"] {
                #expect(try await realm.sessions(action, session, version: nil).status == 403)
            }
            let path = "\(Realm.json)/sessions"
            #expect(try await realm.post(path, json: [:], headers: [(realm.cookieName, session)]).status == 400)
            #expect(try await realm.send(.get, path).status == 400)
            #expect(try await realm.post("\(path)?_action=logout", form: [("a", "b")]).status == 400)
            let unknown = try await realm.post("/am/json/realms/root/realms/nosuch/sessions?_action=logout", json: [:])
            #expect(unknown.status == 404)
            #expect(
                unknown.text == #"{"code":404,"reason":"Not Found","message":"Realm &quot;/nosuch&quot; not found"}"#)
            #expect(try await realm.lives(session))
        }
    }

    @Test("publishes the name of the cookie")
    func serverinfo() async throws {
        try await withOpenAM { realm in
            let reply = try await realm.send(.get, "\(Realm.json)/serverinfo/*")
            #expect(reply.json["cookieName"] == "iPlanetDirectoryPro")
            #expect(reply.json["realm"] == "/alpha")
        }
    }
}
