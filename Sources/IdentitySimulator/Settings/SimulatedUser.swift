/// A user of the simulator.
package struct SimulatedUser: Sendable, Equatable {
    /// The user name.
    package var name: String
    /// The password, which the simulator compares as it is.
    package var password: String
    /// The first name.
    package var givenName: String
    /// The family name.
    package var familyName: String
    /// The mail address.
    package var email: String
    /// True if the account is active.
    package var isActive = true

    /// Creates an active user.
    package init(name: String, password: String, givenName: String, familyName: String, email: String) {
        self.name = name
        self.password = password
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
    }

    /// The password of the standard users.
    package static let standardPassword = "Ch4ng3it!"

    /// The users `demo`, `alice` and `bob`.
    package static let standard = [
        SimulatedUser(
            name: "demo", password: standardPassword, givenName: "Dana", familyName: "Demo", email: "demo@example.com"),
        SimulatedUser(
            name: "alice", password: standardPassword, givenName: "Alice", familyName: "Ames",
            email: "alice@example.com"),
        SimulatedUser(
            name: "bob", password: standardPassword, givenName: "Bob", familyName: "Baker", email: "bob@example.com"),
    ]

    /// The standard users, and `carol`, whose account is not active.
    package static let openAM: [SimulatedUser] = {
        var carol = SimulatedUser(
            name: "carol", password: standardPassword, givenName: "Carol", familyName: "Clark",
            email: "carol@example.com")
        carol.isActive = false
        return standard + [carol]
    }()
}

extension SimulatedUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name.
    package var description: String { name }
    /// The user name.
    package var debugDescription: String { name }
    /// Shows the name only.
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
