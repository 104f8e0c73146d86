internal import BFF

extension BrowserAPI {
    /// `POST {instance}/logout`.
    func logoutInstance(_ call: Call) async throws(Problem) -> Answer {
        let logout = try LogoutBody(try await members(call))
        return try await answering { () throws(BFFError) in
            try await backend.logout(call.instance, session: logout.session, call.context())
        }
    }

    /// `POST logout`, perhaps with `?account=`.
    func logout(_ call: Call) async throws(Problem) -> Answer {
        let account = try RequestQuery(call.request, "account").account("account")
        let body = try await BodyReader.read(call.request, upTo: settings.bodyLimit, isOptional: true)
        try BodyReader.members(body).allow(only: [])
        return try await answering { () throws(BFFError) in
            try await backend.logoutAll(account: account, call.context())
        }
    }
}
