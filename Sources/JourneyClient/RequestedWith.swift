internal import Orchestrate

/// Which of Ping's SDKs the calls of a journey say they come from; trees may look at it.
public enum RequestedWith: String, Sendable, CaseIterable {
    /// The present SDKs, with the platform `javascript`.
    case pingSDK = "ping-sdk"
    /// The former SDKs; the one for JavaScript names no platform, so none is named here.
    case forgerockSDK = "forgerock-sdk"

    /// The value of `X-Requested-Platform` unless the settings say one, nil to send none.
    var platform: String? {
        switch self {
        case .pingSDK: "javascript"
        case .forgerockSDK: nil
        }
    }
}

extension SharedKey where Value == RequestedWith {
    /// The value of `X-Requested-With` on authenticate.
    static var requestedWith: SharedKey { SharedKey("journey.requestedWith") }
}

extension SharedKey where Value == String {
    /// The value of `X-Requested-Platform` on authenticate.
    static var requestedPlatform: SharedKey { SharedKey("journey.requestedPlatform") }
}
