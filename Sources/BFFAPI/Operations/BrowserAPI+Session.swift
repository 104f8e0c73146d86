internal import BFF

extension BrowserAPI {
    /// `GET session`.
    func getSession(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        let session = try await asking(call) { () throws(BFFError) in try await backend.session(call.context()) }
        return .reply(SessionDocument.document(session), .keep)
    }

    /// `GET {instance}/user`.
    func getUser(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let refresh = try RequestQuery(call.request, "refresh").flag("refresh")
        // A new read of the claims reaches the provider.
        if refresh { try checkRates(call) }
        let user = try await asking(call) { () throws(BFFError) in
            try await backend.user(call.instance, refresh: refresh, call.context())
        }
        return .reply(UserDocument.document(user), .keep)
    }

    /// Calls a use case, and translates its error into a problem.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - flow: The flow of the call; nil for none.
    ///   - operation: The call of the use case.
    /// - Returns: The result of the operation.
    /// - Throws: The problem of the operation's error.
    func asking<Value>(
        _ call: OperationCall, flow: String? = nil, _ operation: () async throws(BFFError) -> Value
    ) async throws(Problem) -> Value {
        do throws(BFFError) {
            return try await operation()
        } catch {
            var problem = Problem(error, at: base(of: call))
            problem.reason = await backend.ends.reason(of: error, call.instance, flow: flow, call.context())
            throw problem
        }
    }
}
