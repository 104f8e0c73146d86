import Basics
import HTTPCore
import JSON
import OpenIDConnect

extension OIDCReplay {
    /// Pushes the parameters of an authorization.
    mutating func push() async throws {
        let fixture = fixture
        let path = AuthorizationServer.base + "/par"
        let redirectURI = sent.single("redirect_uri") ?? "https://app.example.com/callback"
        try await withClient(answering: path, redirectURI: redirectURI, { _, _ in Reply(fixture) }) { replay, setting in
            let authorization = try await setting.client.authorization(deadline: setting.deadline)
            let result = await attempt { () throws(OpenIDError) in
                try await setting.client.push(authorization, deadline: setting.deadline)
            }
            replay.comparison.request(
                setting.provider.received.first { $0.path == path }, fixture,
                mapped: ["state", "nonce", "code_challenge"])
            if let uri = result.value {
                replay.comparison.equal("request_uri", uri, fixture.body["request_uri"]?.string)
            }
            guard let expect = fixture.expect else {
                if [200, 201].contains(fixture.status), result.value == nil {
                    replay.comparison.differs("result: \(result)")
                }
                return
            }
            replay.comparison.known(expect, ["result", "error"])
            replay.outcome(result, expect)
        }
    }
}
