internal import BFF

extension BrowserAPI {
    /// `POST {instance}/token/refresh`.
    func refreshToken(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        try await members(call).allow(only: [])
        let user = try await asking(call) { () throws(BFFError) in
            try await backend.refreshToken(call.instance, call.context())
        }
        return .reply(UserDocument.document(user), .keep)
    }

    /// `POST {instance}/token/revoke`.
    func revokeToken(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        try await members(call).allow(only: [])
        let reply = try await asking(call) { () throws(BFFError) in
            try await backend.revokeToken(call.instance, call.context())
        }
        return .reply(RevocationDocument.document(reply.content), reply.cookie)
    }
}
