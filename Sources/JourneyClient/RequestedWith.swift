internal import Orchestrate

/// The SDK of Ping that the requests of a journey name; journeys may branch on it.
public enum RequestedWith: String, Sendable, CaseIterable {
    /// The current SDKs, with the platform `javascript`.
    case pingSDK = "ping-sdk"
    /// The former SDKs; the former JavaScript SDK names no platform, so none is sent.
    case forgerockSDK = "forgerock-sdk"

    /// The default value of `X-Requested-Platform`; nil to send none.
    var platform: String? {
        switch self {
        case .pingSDK: "javascript"
        case .forgerockSDK: nil
        }
    }
}

extension SharedKey where Value == RequestedWith {
    /// The value of `X-Requested-With` on the authenticate endpoint.
    static var requestedWith: SharedKey { SharedKey("journey.requestedWith") }
}

extension SharedKey where Value == String {
    /// The value of `X-Requested-Platform` on the authenticate endpoint.
    static var requestedPlatform: SharedKey { SharedKey("journey.requestedPlatform") }
}
