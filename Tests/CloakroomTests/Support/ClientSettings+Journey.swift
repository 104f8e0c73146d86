import Cloakroom
import IdentitySimulator
import JourneyProduct
import OpenIDConnect
import ProductKit

extension ClientSettings {
    /// What the client has of journeys.
    var journey: JourneySettings {
        get {
            guard let settings = product as? JourneySettings else {
                preconditionFailure("the client is none of journeys")
            }
            return settings
        }
        set { product = newValue }
    }
}

extension Settings {
    /// Adds the client `transaction`, the simulator's `bff-tx`, which steps the first client's users up.
    mutating func addTransactionClient(_ dialect: SimulatedDialect, journey: String = "StepUp") {
        var openID = clients[0].openID
        openID.clientID = "bff-tx"
        openID.authentication = dialect.authentication("tx:s%cret")
        openID.scopes = ["openid", "profile", "WRITE_TRANSACTION"]
        clients.append(
            ClientSettings(
                name: "transaction",
                product: JourneySettings(
                    serverURL: clients[0].journey.serverURL, realm: "alpha",
                    sessionUpgrade: dialect.sessionUpgrade, journeys: [journey]),
                openID: openID, tokenStorage: "transaction"))
    }
}
