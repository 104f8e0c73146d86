internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/serverinfo/*`: publishes the name of the tenant's session cookie.
///
/// Refuses by docs/protocol.md, 'Sessions'.
struct ServerInfo: Sendable {
    let settings: SimulatorSettings

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .get else { return .amError(405, "Method Not Allowed") }
        return .json(
            200,
            [
                "_id": "*", "_rev": "1", "domains": [], "protectedUserAttributes": [],
                "cookieName": .string(settings.cookieName), "secureCookie": .bool(call.base.hasPrefix("https:")),
                "forgotPassword": "false", "forgotUsername": "false", "kbaEnabled": "false",
                "selfRegistration": "false",
                "lang": "en-US", "successfulUserRegistrationDestination": "default", "socialImplementations": [],
                "referralsEnabled": "false", "zeroPageLogin": ["enabled": false],
                "realm": .string(settings.realmName),
                "xuiUserSessionValidationEnabled": true, "userIdAttributes": [],
            ], [ResponseHeader("Content-API-Version", "resource=1.1")])
    }
}
