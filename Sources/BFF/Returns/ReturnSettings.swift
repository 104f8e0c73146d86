/// Settings of redirects out of a flow and back.
package struct ReturnSettings: Sendable, Equatable {
    /// A page of the application that a browser comes back to, under a name; only the settings define targets, never a
    /// request.
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

    /// The targets; the first is for flows that name none: `server.returnTargets`, default `home: /`.
    package var targets = [Target(name: "home", path: "/")]
    /// The longest time between a departure and its return.
    package static let away: Duration = .seconds(600)
    /// The time for which a return waits until the flow continues with it.
    var arrived: Duration = .seconds(60)
    /// The number of departures that one browser may have at a time.
    var departures = 5

    /// Settings with one target, the start page.
    package init() {}

    /// True if there is a target of this name.
    func isTarget(_ name: String) -> Bool { targets.contains { $0.name == name } }

    /// The path of a target; the path of the first one for nil and for a name that is not or no longer configured.
    func path(_ name: String?) -> String { (targets.first { $0.name == name } ?? targets.first)?.path ?? "/" }
}
