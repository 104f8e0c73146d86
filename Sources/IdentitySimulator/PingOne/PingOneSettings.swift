/// The settings of a simulator's PingOne environment.
package struct PingOneSettings: Sendable {
    /// The id of the environment, with which its paths begin.
    package var environment = "0f4a1c9e-7d52-4b8e-9a36-5c2e8d71b043"
    /// The applications, with the flow policies that they may run.
    package var applications = SimulatedApplication.standard
    /// True if `idpSignoff` ends sessions, which applications do not allow by default.
    package var allowsPingSignOff = false
    /// The lifetime of a flow.
    package var flowLifetime = Duration.seconds(300)
    /// The maximum number of answers to one node in a flow; polls are not counted.
    package var nodeRuns = 20
    /// `aud` of access tokens.
    package var audience = "https://ledger.example.com"
    /// The interval between polls that waiting pages ask for.
    package var pollInterval = Duration.milliseconds(1000)
    /// The maximum number of polls of a waiting page.
    package var pollRetries = 5

    /// Creates an environment with the defaults of new customers.
    package init() {}
}

/// An application of a PingOne environment.
package struct SimulatedApplication: Sendable, Equatable {
    /// The kind of response to a start with `response_mode=pi.flow`.
    package enum Start: String, Sendable {
        /// The first page of a flow.
        case flow
        /// PingOne's own flow as JSON: no DaVinci policy is assigned.
        case nativeFlow
        /// A redirect to the sign-on page.
        case signOnPage
        /// 500 `UNEXPECTED_ERROR`: the policy is no policy of PingOne.
        case unexpectedError
    }

    /// The OAuth client of the application.
    package var client: SimulatedClient
    /// The ids of the policies that it may run, the default one first.
    package var policies: [String]
    /// The kind of response that its flows begin with.
    package var start = Start.flow

    /// Creates an application that runs policies.
    package init(client: SimulatedClient, policies: [String] = SimulatedApplication.allPolicies) {
        self.client = client
        self.policies = policies
    }

    /// The ids of all policies: `SignOn`, then the others by name.
    package static var allPolicies: [String] { ["SignOn"] + PolicyTable.names.subtracting(["SignOn"]).sorted() }

    /// The applications of the demo and of most tests.
    ///
    /// `workforce` (secret `w0rk/force+1`) with all policies, `workforce-tx` (secret `w0rk:tx%`) with `StepUp` for the
    /// scope `WRITE_TRANSACTION`, `workforce-post` (secret `posted work`) and the public `workforce-spa` with all
    /// policies; also `workforce-native`, `workforce-page` and `workforce-broken`, each public and without a DaVinci
    /// policy.
    package static let standard: [SimulatedApplication] = {
        let callback = ["https://app.example.com/callback"]
        var workforce = SimulatedClient(id: "workforce", secret: "w0rk/force+1", redirectURIs: callback)
        workforce.postLogoutRedirectURIs = ["https://app.example.com/"]
        let transaction = SimulatedClient(
            id: "workforce-tx", secret: "w0rk:tx%", redirectURIs: callback,
            scopes: ["openid", "profile", "WRITE_TRANSACTION"])
        let post = SimulatedClient(
            id: "workforce-post", secret: "posted work", authentication: .post, redirectURIs: callback)
        let starts: [(String, Start)] = [
            ("workforce-spa", .flow), ("workforce-native", .nativeFlow), ("workforce-page", .signOnPage),
            ("workforce-broken", .unexpectedError),
        ]
        let others = starts.map { name, start in
            var application = SimulatedApplication(
                client: SimulatedClient(id: name, secret: nil, authentication: .none, redirectURIs: callback))
            application.start = start
            return application
        }
        return [
            SimulatedApplication(client: workforce), SimulatedApplication(client: transaction, policies: ["StepUp"]),
            SimulatedApplication(client: post),
        ] + others
    }()
}
