internal import Basics
internal import HTTPCore
internal import JSON
internal import OpenIDConnect
public import Orchestrate

extension DaVinciModules {
    /// Exchanges the code of a success, stores the tokens and revokes them at sign-off, see `Setup.keepsTokens`.
    public static let tokens = Module.of(name: "davinci tokens") { setup in
        let settings = try DaVinciModuleSettings.of(setup)
        if let own = settings.tokenStorage { setup.keep(.tokens, in: own) }
        setup.keepsTokens(of: settings.client) { context, node in
            guard var authorization = context.flow.authorization else {
                throw EngineError.configuration("the flow has no authorization")
            }
            let answer = node.input["authorizeResponse"]
            var parameters = QueryParameters()
            parameters.append("code", answer?["code"]?.string ?? "")
            // The code came in the answer to this client's own request, so `state` and `iss` prove nothing more; a
            // `state` in the answer must still match.
            let state = answer?["state"].flatMap { $0 == .null ? nil : $0.string ?? "" }
            parameters.append("state", state ?? authorization.state.reveal())
            parameters.append("iss", authorization.issuer)
            return try await authorization.finish(
                .query(parameters), by: settings.client, deadline: context.caller.deadline)
        }
    }
}
