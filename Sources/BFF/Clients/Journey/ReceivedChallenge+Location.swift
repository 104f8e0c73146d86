internal import JourneyClient
package import ResourceServer

extension ReceivedChallenge {
    /// The advice of a gateway that redirects to AM's login in place of a challenge; nil for any other address.
    package init?(location: String) {
        guard let advice = PolicyAdvice(location: location) else { return nil }
        self.init(advices: advice.json)
    }
}
