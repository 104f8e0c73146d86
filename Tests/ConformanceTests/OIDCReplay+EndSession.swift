import Basics
import DaVinciClient
import HTTPClient
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit

extension OIDCReplay {
    /// Ends a session: as a browser is sent there, and as a server does that holds session and tokens.
    mutating func endSession() async throws {
        let fixture = fixture
        let path = AuthorizationServer.base + "/connect/endSession"
        try await withClient(answering: path, { _, _ in Reply(fixture) }) { replay, setting in
            let options = EndSessionOptions(
                idToken: replay.sent.single("id_token_hint").map { Secret($0) },
                redirectURI: replay.sent.single("post_logout_redirect_uri"), state: replay.sent.single("state"))
            let address = try await setting.client.endSessionAddress(options, deadline: setting.deadline)
            _ = try await setting.provider.client.send(ClientRequest(.get, address), deadline: setting.deadline)
            replay.comparison.request(setting.provider.received.last { $0.path == path }, fixture)
            let davinci = try DaVinci.createDaVinci { config in
                config.transport = setting.provider.client
                config.oidc(setting.client)
            }
            let (session, tokens) = (MemoryStorage<DaVinciSession>(), MemoryStorage(replay.tokens(setting)))
            try await session.save(DaVinciSession(value: Secret("s"), idToken: options.idToken))
            var storages = CallerStorages()
            storages[.davinciSession] = session
            storages[.tokens] = tokens
            let report = await davinci.bound(to: Caller(deadline: setting.deadline, storages: storages)).signOff()
            let expect = fixture.expect ?? [:]
            replay.comparison.known(expect, ["result", "localToken"])
            let isEnded = if case .ended = report.session { true } else { false }
            let word = 200..<400 ~= fixture.status ? "success" : "remoteError"
            replay.comparison.equal("result", isEnded ? "success" : "remoteError", expect["result"]?.string ?? word)
            let (leftSession, leftTokens) = (try await session.get(), try await tokens.get())
            let isGone = leftSession == nil && leftTokens == nil
            replay.comparison.equal("localToken", isGone ? "gone" : "kept", expect["localToken"]?.string ?? "gone")
        }
    }
}
