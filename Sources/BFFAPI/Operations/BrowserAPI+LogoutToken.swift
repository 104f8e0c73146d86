internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer

extension BrowserAPI {
    /// The most bytes of a form with a logout token.
    static let logoutTokenLimit = 16 << 10

    /// `POST {client}/backchannel-logout`, a call of a provider (OpenID Connect Back-Channel Logout 1.0 section 2.5).
    func takeLogoutToken(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        // rule: whose logout tokens were refused too often waits
        try rates.checkLogoutToken(call.request)
        do throws(Problem) {
            _ = try RequestQuery(call.request)
            let token = try await logoutToken(call.request)
            do throws(BFFError) {
                try await backend.remoteEnds.logout(call.instance, token: token, call.context())
            } catch {
                throw Problem(error)
            }
        } catch {
            // Anyone can name a key that the provider does not have, so a token that is to be sent again counts too.
            // rule: a logout token that ended nothing counts
            if error.type != .storeUnavailable { rates.refusedLogoutToken(call.request) }
            throw error
        }
        return .document(mediaType: "application/json", Array("{}".utf8))
    }

    private func logoutToken(_ request: ServerRequest) async throws(Problem) -> Secret<String> {
        guard let type = request.headers.single("content-type").flatMap({ MediaType(parsing: $0) }),
            type.essence.isSameText(as: "application/x-www-form-urlencoded"),
            request.headers.count("content-encoding") == 0
        else { throw Problem(.unsupportedMediaType, "The body must be a form.") }
        let body: [UInt8]
        // A form with a logout token is small.
        do { body = try await request.body.collect(upTo: Self.logoutTokenLimit) } catch { throw Problem(error) }
        guard let text = String(validating: body, as: UTF8.self),
            let fields = QueryParameters(parsing: text[...], limit: 16)
        else { throw Problem(.malformed, "The form cannot be read.") }
        // Other members are ignored, as OAuth asks; the token occurs once.
        // rule: a form has one logout token
        guard let token = fields.single("logout_token"), !token.isEmpty else {
            throw Problem(.malformed, member: "logout_token", .required)
        }
        return Secret(token)
    }
}
