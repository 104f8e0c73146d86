internal import Basics
internal import HTTPServer
internal import JSON

/// The responses that end a flow.
struct FlowAnswer {
    private static let codeLifetime = Duration.seconds(60)

    let services: OAuthServices
    let journal: Journal
    let call: SimulatedCall

    /// A response with status 200 that reports a failure.
    static func failed(_ code: String, environment: String) -> ServerResponse {
        .json(
            200,
            [
                "environment": ["id": .string(environment)], "status": "FAILED",
                "error": [
                    "code": .string(code),
                    "message": "The request could not be completed. There was an issue processing the request",
                ],
            ])
    }

    /// A code for an existing session, whose cookies are set again.
    ///
    /// `acr` is the policy of the request if the user has completed it in the session, and else the one completed last.
    func success(_ request: PingOneRequest, _ session: SSORecord) -> ServerResponse {
        let isCompleted = session.journeys.contains(request.policy)
        let completed = isCompleted ? request.policy : session.journeys.last ?? request.policy
        let outcome = outcome(request, session, policy: completed, amr: session.amr)
        return .json(200, outcome, PingOneCookies.set(session.token, call))
    }

    /// A code for the user who has just signed in, in the body of the success node.
    func success(_ run: FlowRun, _ session: SSORecord, amr: [String]) -> ServerResponse {
        let environment = services.settings.pingOne.environment
        let connector = "pingOneAuthenticationConnector"
        let capability = "returnSuccessResponseRedirect"
        let connection = PingOneID.hex("connection " + connector)
        let link = "\(call.base)/\(environment)/davinci/connections/\(connection)/capabilities/\(capability)"
        var json: JSONObject = [
            "interactionId": .string(run.id), "companyId": .string(environment),
            "connectionId": .string(connection), "connectorId": .string(connector),
            "id": .string(String(PingOneID.hex("node success").prefix(10))), "capabilityName": .string(capability),
        ]
        for (name, value) in outcome(run.request, session, policy: run.request.policy, amr: amr) { json[name] = value }
        json["isResponseCompatibleWithMobileAndWebSdks"] = true
        json["success"] = true
        json["resetCookie"] = true
        let token = Identifier.random(96)
        journal.note(secret: token)
        json["interactionToken"] = .string(token)
        json["_links"] = ["next": ["href": .string(link)]]
        return .json(200, json, PingOneCookies.set(session.token, call))
    }

    private func outcome(
        _ request: PingOneRequest, _ session: SSORecord, policy: String, amr: [String]
    ) -> JSONObject {
        let environment = services.settings.pingOne.environment
        let grant = IssuedGrant(
            id: Identifier.random(20), clientID: request.application.client.id, user: session.user,
            scopes: request.scopes, issuer: "\(call.base)/\(environment)/as", realm: "",
            grantType: "authorization_code", level: 0, acr: policy, amr: amr, authTime: session.authTime,
            sessionID: session.id, nonce: request.nonce, state: request.state, trackingID: Identifier.tracking())
        let code = services.grants.add(
            CodeRecord(
                grant: grant, redirectURI: request.redirectURI, challenge: request.challenge,
                expires: call.now + Self.codeLifetime))
        var answer: JSONObject = ["code": .string(code)]
        answer["state"] = request.state.map { .string($0) }
        return [
            "environment": ["id": .string(environment)], "session": ["id": .string(session.id)],
            "status": "COMPLETED", "authorizeResponse": .object(answer),
        ]
    }
}
