internal import DaVinciProduct
internal import JourneyProduct
package import ProductKit

/// The products whose clients a settings file may configure, in the order in which messages name them.
package enum Products {
    /// Every product of this server.
    package static let all: [any ProductSettings.Type] = [JourneySettings.self, DaVinciSettings.self]
}
