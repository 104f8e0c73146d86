import HTTPCore
import JourneyClient
import OpenIDConnect
import Orchestrate

/// French before what the browser asks for: the module runs before the client's own, whose priority is 10.
func makeFrenchJourney(_ transport: any HTTPTransport) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = "https://tenant.example.com/am"
        config.realm = "alpha"
        config.journey = "Login"
        config.transport = transport
        config.module(Modules.customHeader, priority: 5, mode: .append) { headers in
            headers.header(name: "Accept-Language", value: "fr")
        }
    }
}

/// The same by a setting.
func makeFrenchJourneyBySetting(_ transport: any HTTPTransport) throws -> Journey {
    try Journey.createJourney { config in
        config.serverUrl = "https://tenant.example.com/am"
        config.realm = "alpha"
        config.journey = "Login"
        config.transport = transport
        config.languages = LanguagePreference(mode: .append, ["fr"])
    }
}
