/// Someone who may sign in.
public struct SimulatedUser: Sendable, Equatable {
    /// The user name.
    public var name: String
    /// The password.
    public var password: String
    /// The first name.
    public var givenName: String
    /// The family name.
    public var familyName: String
    /// The mail address.
    public var email: String
    /// Whether the account may be used.
    public var isActive = true

    /// Someone who may sign in.
    public init(name: String, password: String, givenName: String, familyName: String, email: String) {
        self.name = name
        self.password = password
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
    }

    /// The password of the standard users.
    public static let standardPassword = "Ch4ng3it!"

    /// `demo`, `alice` and `bob`.
    public static let standard = [
        SimulatedUser(
            name: "demo", password: standardPassword, givenName: "Dana", familyName: "Demo", email: "demo@example.com"),
        SimulatedUser(
            name: "alice", password: standardPassword, givenName: "Alice", familyName: "Ames",
            email: "alice@example.com"),
        SimulatedUser(
            name: "bob", password: standardPassword, givenName: "Bob", familyName: "Baker", email: "bob@example.com"),
    ]

    /// Those, and `carol`, whose account is not active.
    public static let openAM: [SimulatedUser] = {
        var carol = SimulatedUser(
            name: "carol", password: standardPassword, givenName: "Carol", familyName: "Clark",
            email: "carol@example.com")
        carol.isActive = false
        return standard + [carol]
    }()
}

extension SimulatedUser: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The user name.
    public var description: String { name }
    /// The user name.
    public var debugDescription: String { name }
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
