internal import Basics
internal import HTTPCore
internal import JSON
public import Orchestrate

extension JourneyModules {
    /// Builds the authenticate requests and reads the name of the session cookie from AM.
    public static let request = Module.of(name: "journey request") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        let services = setup.services

        setup.initialize { context in
            context.shared[.requestedWith] = settings.requestedWith
            context.shared[.requestedPlatform] = settings.platform
            try await settings.cookie.learn(by: services, deadline: context.deadline)
        }
        setup.start { context, request in
            guard let options = context.flow[.options] else {
                throw EngineError.configuration("a journey is started through BoundJourney")
            }
            request.url = settings.authenticate
            request.body([:])
            request.setHeader(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
            name(options.entry, on: &request)
            try add(options, to: &request, settings, cookieName: settings.cookie.current)
        }
        setup.next { context, _, request in
            if let options = context.flow[.options] {
                // AM tells an upgrade from a new sign-in by these parameters on every step.
                if context.flow[.upgrades] == true { name(options.entry, on: &request) }
                try add(options, to: &request, settings, cookieName: settings.cookie.current)
            }
        }
    }

    /// Adds the parameters that name the journey, the advice or the suspended journey.
    private static func name(_ entry: JourneyOptions.Entry, on request: inout Request) {
        switch entry {
        case .journey(let name):
            request.parameter(name: "authIndexType", value: "service")
            request.parameter(name: "authIndexValue", value: name)
        case .advice(let xml):
            request.parameter(name: "authIndexType", value: "composite_advice")
            request.parameter(name: "authIndexValue", value: xml)
        case .suspended(let id):
            request.parameter(name: "suspendedId", value: id)
        }
    }

    /// Adds the options that hold for the whole journey, because AM forgets them between steps.
    private static func add(
        _ options: JourneyOptions, to request: inout Request, _ settings: JourneyModuleSettings, cookieName: String
    ) throws(EngineError) {
        // With `.parameter` the session module sends `ForceAuth`, because it belongs together with the session.
        if options.forceAuth, settings.sessionUpgrade == .header { request.parameter(name: "ForceAuth", value: "true") }
        if options.noSession { request.parameter(name: "noSession", value: "true") }
        for parameter in options.parameters {
            // rule: parameters of our own are not a program's
            guard !StartOptions.isReserved(parameter.name), parameter.name.lowercased() != cookieName.lowercased()
            else { throw .configuration("a start parameter has a reserved name") }
            request.parameter(name: parameter.name, value: parameter.value)
        }
    }
}
