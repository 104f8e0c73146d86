/// Where browsers come back to.
package struct ReturnSettings: Sendable, Equatable {
    /// A page of the application under a name; the settings say which there are, never a request.
    package struct Target: Sendable, Equatable {
        /// The name that `start` may say.
        package var name: String
        /// The path on the public origin, without a fragment.
        package var path: String

        /// A target under its name.
        package init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    /// The targets, the one for flows that name none first: `server.returnTargets`, default `home: /`.
    package var targets = [Target(name: "home", path: "/")]
    /// How long somebody may be away.
    package static let away: Duration = .seconds(600)
    /// How long what somebody has brought back waits for the flow to go on with it.
    var arrived: Duration = .seconds(60)
    /// How many of one browser may be away at a time.
    var departures = 5

    /// One target, the start page.
    package init() {}

    /// Whether there is a target of this name.
    func isTarget(_ name: String) -> Bool { targets.contains { $0.name == name } }

    /// The path of a target; that of the first for a name that is not there, or not there any more.
    func path(_ name: String?) -> String { (targets.first { $0.name == name } ?? targets.first)?.path ?? "/" }
}
