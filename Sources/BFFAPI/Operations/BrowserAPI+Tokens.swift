internal import BFF

extension BrowserAPI {
    /// `POST {instance}/token/refresh`.
    func refreshToken(_ call: Call) async throws(Problem) -> Answer {
        try await members(call).allow(only: [])
        return try await answering { () throws(BFFError) in
            try await backend.refreshToken(call.instance, call.context())
        }
    }

    /// `POST {instance}/token/revoke`.
    func revokeToken(_ call: Call) async throws(Problem) -> Answer {
        try await members(call).allow(only: [])
        return try await answering { () throws(BFFError) in
            try await backend.revokeToken(call.instance, call.context())
        }
    }
}
