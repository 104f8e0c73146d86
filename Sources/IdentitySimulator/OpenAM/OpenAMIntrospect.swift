internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JOSE
internal import JSON

/// `…/introspect`: what a token of the asking client's own is worth.
struct OpenAMIntrospect: Sendable {
    let world: OAuthWorld

    func answer(_ call: Call) -> ServerResponse {
        // The token may stand in the address too.
        let form = call.form ?? QueryParameters()
        let client: SimulatedClient
        do throws(ClientAuthentication.Refusal) {
            client = try OpenAMClientAuthentication(checksMethod: false, challenges: false).client(call, form, world)
        } catch { return error.response }
        guard let token = form.all("token").first ?? call.query.all("token").first, !isBeyondReading(token) else {
            return .oauthError(
                400, "server_error",
                "Internal Server Error (500) - The server encountered an unexpected condition which prevented it from "
                    + "fulfilling the request")
        }
        // No scope makes a client see the tokens of others.
        guard let record = world.grants.find(token, now: call.now), record.grant.clientID == client.id else {
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

    /// A JWT signed with HS256 where the realm signs with a key pair: it is read with the wrong key.
    private func isBeyondReading(_ token: String) -> Bool {
        guard world.settings.openAMTokenAlgorithm != nil, let jws = try? JWS.parse(token) else { return false }
        return jws.header.algorithmName == "HS256"
    }
}

/// `…/token/revoke`: ends an access token, or with a refresh token all of the grant.
struct OpenAMRevoke: Sendable {
    let world: OAuthWorld

    func answer(_ call: Call) -> ServerResponse {
        let form = call.form ?? QueryParameters()
        let client: SimulatedClient
        do throws(ClientAuthentication.Refusal) {
            client = try OpenAMClientAuthentication(checksMethod: false, challenges: true).client(call, form, world)
        } catch { return error.response }
        guard let token = form.all("token").first else {
            return .oauthError(400, "invalid_request", "Missing parameter: token")
        }
        if let owner = world.grants.owner(of: token), owner != client.id {
            return .oauthError(
                400, "invalid_grant", "The provided token id : \(token) belongs to different access grant.")
        }
        world.grants.revoke(token, clientID: client.id)
        return .json(200, [:])
    }
}

/// `…/connect/endSession`.
struct OpenAMEndSession: Sendable {
    let world: OAuthWorld

    func answer(_ call: Call) -> ServerResponse {
        guard let hint = call.query.single("id_token_hint") else {
            return .oauthError(
                400, "bad_request", "The endSession endpoint requires an id_token_hint parameter")
        }
        guard let jws = try? JWS.parse(hint), let claims = try? JWTClaims.parse(jws.payload),
            let session = claims.string("org.forgerock.openidconnect.ops")
        else {
            return .oauthError(
                400, "server_error",
                "Internal Server Error (500) - The server encountered an unexpected condition which prevented it from "
                    + "fulfilling the request")
        }
        world.sessions.end(id: session)
        guard let uri = call.query.single("post_logout_redirect_uri") else { return ServerResponse(status: 204) }
        let client = claims.audiences.first.flatMap { world.client($0) }
        guard let client, client.postLogoutRedirectURIs.contains(uri) else {
            return .openAMErrorPage(.redirectMismatch)
        }
        return .redirect(uri)
    }
}
