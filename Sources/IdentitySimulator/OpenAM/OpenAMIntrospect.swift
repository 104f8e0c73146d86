internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// `…/introspect`: the state of a token, for the client that it was issued to.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMIntrospect: Sendable {
    let services: OAuthServices

    func answer(_ call: SimulatedCall) -> ServerResponse {
        // The token may also be in the query.
        let form = call.form ?? QueryParameters()
        let client: SimulatedClient
        do throws(ClientCheck.RefusalError) {
            client = try OpenAMClientCheck(checksMethod: false, challenges: false).client(of: call, form, services)
        } catch { return error.response }
        guard let token = form.all("token").first ?? call.query.all("token").first, !isBeyondReading(token) else {
            return .oauthError(
                400, "server_error",
                "Internal Server Error (500) - The server encountered an unexpected condition which prevented it from "
                    + "fulfilling the request")
        }
        // No scope lets a client see the tokens of others.
        guard let record = services.grants.find(token, now: call.now), record.grant.clientID == client.id else {
            return .json(200, ["active": false])
        }
        return .json(
            200,
            [
                "sub": .string(record.grant.plainSubject), "user_id": .string(record.grant.plainSubject),
                "scope": .string(record.scopes.joined(separator: " ")), "iss": .string(record.grant.issuer),
                "active": true, "token_type": .string(record.kind.rawValue),
                "exp": JSONValue(record.expires.seconds), "client_id": .string(record.grant.clientID),
            ])
    }

    /// True for a JWT signed with HS256 in a realm that signs with a key pair, which OpenAM tries to read with the
    /// wrong key.
    private func isBeyondReading(_ token: String) -> Bool {
        guard services.settings.openAMTokenAlgorithm != nil, let jws = try? JWS.parse(token) else { return false }
        return jws.header.algorithmName == "HS256"
    }
}
