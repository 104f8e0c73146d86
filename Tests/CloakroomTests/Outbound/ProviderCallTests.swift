import HTTPCore
import Logs
import TestSupport
import Testing

@testable import Cloakroom

@Suite("A call to a provider")
struct ProviderCallTests {
    private let network = ScriptedTransport()
    private let log = RecordedLog()

    private func call(
        _ address: String = "https://am.test/am/oauth2/access_token", _ method: HTTPMethod = .post,
        answering response: ClientResponse, saysEach: Bool = true, introspects: Bool = false
    ) async throws -> [String] {
        let url = try #require(WebURL(address))
        network.on(method, String(address.prefix { $0 != "?" }), answering: response)
        let calls = ProviderCalls(network, saysEach: saysEach, introspects: introspects, logger: log.logger())
        var request = ClientRequest(
            method, url, fields: [.authorization: "Bearer s3cret"], body: Array("code=s3cret".utf8))
        request.context = .ownWork("r-7")
        _ = try await calls.send(request, deadline: .now + .seconds(5))
        return log.lines
    }

    @Test("is a line with what was called, where, what came of it and for whom")
    func line() async throws {
        let lines = try await call(answering: .json("{}"))
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        for part in [
            "debug Provider call", "call=POST access_token", "http.host=am.test", "http.status=200", "http.ms=",
            "request.id=r-7",
        ] {
            #expect(line.contains(part), "\(part)")
        }
        #expect(!line.contains("s3cret"))
    }

    @Test("that a client says itself is said once, and its refusal all the same")
    func once() async throws {
        #expect(try await call(answering: .json("{}"), saysEach: false) == [])
        let refused = try await call(answering: ClientResponse(status: 500), saysEach: false)
        #expect(refused.count == 1 && refused[0].contains("warning A provider refuses a call"))
    }

    @Test("that is refused is a warning in the provider's words, cut, and without what may be a secret")
    func refused() async throws {
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZW1vIn0"
        let body = #"{"error":"invalid_client","error_description":"Token \#(token) of client bff\nis wrong"}"#
        var response = ClientResponse(status: 401, body: Array(body.utf8))
        let line = try #require(try await call(answering: response).last)
        #expect(line.contains("warning") && line.contains("provider.error=invalid_client"))
        #expect(line.contains("http.status=401") && line.contains("of client bff?is wrong") && !line.contains(token))
        let sentence = String(repeating: "no ", count: 300)
        response.body = Array(#"{"code":400,"reason":"Bad Request","message":"\#(sentence)"}"#.utf8)
        let long = try #require(try await call(answering: response).last)
        #expect(long.contains("provider.error=Bad Request") && long.utf8.count < 500)
        response.body = Array("<html>".utf8)
        #expect(try await call(answering: response).last?.contains("provider.error=status 401") == true)
    }

    @Test("about a session that is gone is no warning; of serverinfo the call is named, not the asterisk")
    func gone() async throws {
        let gone = ClientResponse.json(#"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#, status: 401)
        let asked = try await call("https://am.test/am/json/sessions?_action=logout", answering: gone)
        #expect(asked.count == 1 && asked[0].contains("debug") && asked[0].contains("call=POST sessions logout"))
        let info = try await call("https://am.test/am/json/serverinfo/*", .get, answering: .json("{}"))
        #expect(info.last?.contains("call=GET serverinfo ") == true)
    }

    @Test("in a version of the sessions interface that AM does not speak is no warning, as any other 404 is")
    func version() async throws {
        let gone = ClientResponse.json(
            #"{"code":404,"reason":"Not Found","message":"Resource '' not found"}"#, status: 404)
        let address = "https://am.test/am/json/realms/root/sessions?_action=logout"
        let asked = try await call(address, answering: gone)
        #expect(asked.count == 1 && asked[0].contains("debug") && asked[0].contains("call=POST sessions logout"))
        #expect(try await call(answering: gone).last?.contains("warning") == true)
    }

    @Test("about a token is no warning when the token is refused, and never said in the provider's words")
    func introspection() async throws {
        let words = #"{"error":"made up","error_description":"no such token"}"#
        let refused = try await call(answering: .json(words, status: 400), introspects: true)
        #expect(refused.count == 1 && refused[0].contains("debug") && refused[0].contains("http.status=400"))
        let ours = try await call(answering: .json(words, status: 401), introspects: true)
        #expect(ours.count == 3 && ours[2].contains("warning") && ours[2].contains("provider.error=status 401"))
        #expect(!ours.contains { $0.contains("made up") || $0.contains("no such token") })
    }

    @Test("to an authorization endpoint is refused by a redirect")
    func redirect() async throws {
        var response = ClientResponse(status: 302)
        response.fields.append(
            HTTPField(
                .location, known: "https://app.test/cb?error=invalid_scope&error_description=Unknown%20scope&state=x"))
        let line = try #require(try await call("https://am.test/am/oauth2/authorize", .get, answering: response).last)
        #expect(line.contains("provider.error=invalid_scope") && line.contains("provider.message=Unknown scope"))
        response.fields = [:]
        response.fields.append(HTTPField(.location, known: "https://app.test/cb?code=s3cret&state=x"))
        let fine = try await call("https://am.test/am/oauth2/authorize", .get, answering: response)
        #expect(fine.count == 3 && !fine.contains { $0.contains("s3cret") })
    }

    @Test("of a journey that a user answered wrong is no warning; one of a session says what was done")
    func journeys() async throws {
        let wrong = ClientResponse(status: 401, body: Array(#"{"code":401,"message":"Login failure"}"#.utf8))
        let lines = try await call("https://am.test/am/json/authenticate", answering: wrong)
        #expect(lines.count == 1 && !lines[0].contains("Login failure"))
        let more = try await call("https://am.test/am/json/sessions?_action=logout", answering: .json("{}"))
        #expect(more.last?.contains("call=POST sessions logout") == true)
    }

    @Test("that cannot be made is a warning, but for one whose caller went away")
    func failed() async throws {
        let url = try #require(WebURL("https://am.test/am/oauth2/userinfo"))
        let calls = ProviderCalls(network, logger: log.logger())
        for (error, text) in [
            (TransportError.notReached(.connect), "warning A provider is not reached"),
            (.noUsableAnswer(.timeout), "warning A provider gives no usable answer"),
        ] {
            network.on(.get, url.text, failing: error)
            await #expect(throws: error) {
                try await calls.send(ClientRequest(.get, url), deadline: .now + .seconds(5))
            }
            #expect(log.lines.last?.contains(text) == true && log.lines.last?.contains("call=GET userinfo") == true)
        }
        let count = log.lines.count
        network.on(.get, url.text, failing: .cancelled)
        await #expect(throws: TransportError.cancelled) {
            try await calls.send(ClientRequest(.get, url), deadline: .now + .seconds(5))
        }
        #expect(log.lines.count == count)
    }
}
