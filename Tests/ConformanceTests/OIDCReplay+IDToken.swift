import Basics
import HTTPCore
import JOSE
import JSON
import OpenIDConnect

extension OIDCReplay {
    /// Has a sign-in end with the fixture's ID token.
    mutating func idToken() async throws {
        let fixture = fixture
        let token = try WrittenToken(fixture)
        let isStranger = fixture.settings?["signedBy"]?.string == "stranger"
        try await withClient(
            answering: AuthorizationServer.base + "/access_token",
            { _, server in
                let text = server.sign(token, by: isStranger) ?? "the fixture's token cannot be signed"
                let body: JSONObject = [
                    "access_token": "at-1", "token_type": "Bearer", "expires_in": 300, "id_token": .string(text),
                ]
                return .json(body.text)
            }
        ) { replay, setting in
            var options = AuthorizeOptions()
            let asked = fixture.settings?["asked"]
            options.requiredACR = asked?["acr"]?.array?.compactMap(\.string) ?? []
            options.maxAge = asked?["maxAge"]?.int.map { .seconds($0) }
            let asking = options
            let result = await attempt { () throws(OpenIDError) in
                try await setting.tokens(asking)
            }
            let expect = fixture.expect ?? [:]
            replay.comparison.known(expect, ["result", "check", "subject", "acr", "amr", "age"])
            replay.outcome(result, expect)
            if expect["result"] == nil { replay.comparison.differs("expect.result: missing") }
            for name in ["subject", "acr", "amr", "age"] where expect[name] != nil && result.value == nil {
                replay.comparison.differs("expect.\(name): there are no tokens")
            }
            guard let tokens = result.value else { return }
            if let subject = expect["subject"]?.string { replay.comparison.equal("subject", tokens.subject, subject) }
            if let acr = expect["acr"] { replay.comparison.equal("acr", tokens.acr.map { .string($0) } ?? .null, acr) }
            if let amr = expect["amr"] { replay.comparison.equal("amr", .array(tokens.amr.map { .string($0) }), amr) }
            if let age = expect["age"]?.int {
                let found = tokens.authTime.map { tokens.issuedAt.seconds - $0.seconds } ?? -1
                // The token was written some moments after or before the request was counted.
                if abs(found - age) > 30 { replay.comparison.differs("age: found \(found), expected \(age)") }
            }
        }
    }
}
