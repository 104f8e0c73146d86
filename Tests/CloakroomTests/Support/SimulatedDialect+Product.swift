import Basics
import IdentitySimulator
import JourneyClient
import OpenIDConnect

/// What the server is told about a provider of each dialect, and what browsers see of the difference.
extension SimulatedDialect {
    /// How clients prove who they are.
    func authentication(_ secret: String) -> ClientAuthentication {
        self == .openam ? .basicRaw(Secret(secret)) : .basic(Secret(secret))
    }

    /// How an upgrade names its session.
    var sessionUpgrade: SessionUpgrade { self == .openam ? .parameter : .header }

    /// The claim with the user's name.
    var nameClaim: String { self == .openam ? "claims.sub" : "claims.preferred_username" }

    /// What a refused password is called.
    var refusal: String { self == .openam ? "Authentication Failed" : "Login failure" }

    /// The stage of the page that asks for the code, first in its flow.
    var codeStage: String { self == .openam ? "OneTimePassword1" : "OneTimePassword" }

    /// What the provider says of an access token's life of one hour.
    var hour: Int64 { self == .openam ? 3599 : 3600 }
}
