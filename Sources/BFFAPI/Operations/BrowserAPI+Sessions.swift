internal import BFF

extension BrowserAPI {
    /// `GET {instance}/sessions`.
    func listSessions(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        let sessions = try await asking(call) { () throws(BFFError) in
            try await backend.ownSessions.list(call.instance, call.context())
        }
        return .reply(SessionListDocument.document(sessions, marksOwn: true), .keep)
    }

    /// `DELETE {instance}/sessions`.
    func endOtherSessions(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        let count = try await asking(call) { () throws(BFFError) in
            try await backend.ownSessions.endOthers(call.instance, call.context())
        }
        return .reply(SessionListDocument.ended(count), .keep)
    }

    /// `DELETE {instance}/sessions/{sessionId}`.
    func endSession(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        try await asking(call) { () throws(BFFError) in
            try await backend.ownSessions.end(call.instance, id: call.flow, call.context())
        }
        return .reply([], .keep)
    }
}
