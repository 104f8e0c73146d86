internal import BFF

extension BrowserAPI {
    /// `POST {instance}/logout`.
    func logoutInstance(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let logout = try LogoutBody(try await members(call))
        let cookie = try await asking(call) { () throws(BFFError) in
            try await backend.logout(call.instance, session: logout.session, call.context())
        }
        return .reply([], cookie)
    }

    /// `POST logout`, optionally with `?account=`.
    func logoutBrowser(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let account = try RequestQuery(call.request, "account").account("account")
        let body = try await BodyReader.read(call.request, upTo: settings.bodyLimit)
        try BodyReader.members(body, isOptional: true).allow(only: [])
        let cookie = try await asking(call) { () throws(BFFError) in
            try await backend.logoutAll(account: account, call.context())
        }
        return .reply([], cookie)
    }
}
