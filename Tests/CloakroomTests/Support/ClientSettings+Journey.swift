import Cloakroom

extension ClientSettings {
    /// What the client has of journeys.
    var journey: JourneySettings {
        get {
            switch product {
            case .journey(let settings): settings
            }
        }
        set { product = .journey(newValue) }
    }
}
