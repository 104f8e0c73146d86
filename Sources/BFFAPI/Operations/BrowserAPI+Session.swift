internal import BFF

extension BrowserAPI {
    /// `GET session`.
    func getSession(_ call: Call) async throws(Problem) -> Answer {
        _ = try RequestQuery(call.request)
        return try await answering { () throws(BFFError) in try await backend.session(call.context()) }
    }

    /// `GET {instance}/user`.
    func getUser(_ call: Call) async throws(Problem) -> Answer {
        let refresh = try RequestQuery(call.request, "refresh").flag("refresh")
        // Reading the claims again reaches the provider.
        if refresh { try checkRates(call) }
        return try await answering { () throws(BFFError) in
            try await backend.user(call.instance, refresh: refresh, call.context())
        }
    }

    /// Puts what an operation gives back, or why it was not done, in the words of this module.
    func answering(_ operation: () async throws(BFFError) -> Reply) async throws(Problem) -> Answer {
        do throws(BFFError) {
            return .reply(try await operation())
        } catch {
            throw Problem(error)
        }
    }
}
