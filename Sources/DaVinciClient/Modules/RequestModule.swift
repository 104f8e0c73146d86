internal import HTTPCore
internal import OpenIDConnect
public import Orchestrate

extension DaVinciModules {
    /// Builds the first request, and allows answers to be sent only to PingOne.
    public static let request = Module.of(name: "davinci request") { setup in
        let settings = try DaVinciModuleSettings.of(setup)

        setup.start { context, request in
            guard let authorization = context.flow.authorization else {
                throw EngineError.configuration("a DaVinci flow is started through BoundDaVinci")
            }
            var parameters = QueryParameters()
            if let uri = context.flow[.davinciRequestURI] {
                context.flow[.davinciRequestURI] = nil
                parameters.append("request_uri", uri)
                parameters.append("client_id", authorization.clientID)
            } else {
                parameters = authorization.allParameters
            }
            parameters.append("response_mode", responseMode)
            request.url = authorization.endpoint
            if settings.startsBy == .post { request.form(parameters) } else { request.parameters = parameters }
        }
        // The page may have been stored under other settings.
        setup.next { context, page, _ in try settings.checkLinks(of: DaVinciPage(page), in: context.flow) }
    }
}
