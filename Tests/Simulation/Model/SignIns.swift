/// Who may be signed in where, in one browser session: for each instance the set of what is possible.
///
/// One element is certainty. A request under way adds what it may bring about, its answer leaves what it tells; where two
/// overlap, or no answer came, both stay.
struct SignIns {
    /// Who is signed in at an instance, or whose session there is at the provider.
    enum Fact: Hashable {
        case out
        case user(String)
    }

    private var tokens: [Instance: Set<Fact>] = [:]
    private var providers: [String: Set<Fact>] = [:]
    /// When each instance was signed in to last, at the earliest.
    private(set) var since: [Instance: Duration] = [:]
    /// When the session itself was used last.
    var lastUse = Duration.zero
    /// A change may have been made of which nothing is known: of its cookie, and of all that it holds.
    var isUnsure = false

    /// What may be at an instance; nothing is there until a sign-in.
    func facts(_ instance: Instance) -> Set<Fact> { tokens[instance] ?? [.out] }

    /// Whose session at the provider an instance may use.
    func provider(_ instance: Instance) -> Set<Fact> { providers[Self.provider(instance)] ?? [.out] }

    private static func provider(_ instance: Instance) -> String {
        let kind = instance.isDaVinci ? "w" : instance.client == "kiosk" ? "k" : "s"
        return "\(kind)/\(instance.account)"
    }

    /// The instances that share the provider session of one.
    static func sharing(_ instance: Instance) -> [Instance] {
        instance.client == "kiosk" ? [instance] : instance.sharing
    }

    mutating func add(_ facts: some Sequence<Fact>, to instance: Instance) {
        tokens[instance] = self.facts(instance).union(facts)
    }

    mutating func addProvider(_ facts: some Sequence<Fact>, to instance: Instance) {
        providers[Self.provider(instance)] = provider(instance).union(facts)
    }

    mutating func tell(_ facts: Set<Fact>, of instance: Instance) { tokens[instance] = facts }

    mutating func tellProvider(_ facts: Set<Fact>, of instance: Instance) {
        providers[Self.provider(instance)] = facts
    }

    /// A sign-in has been stored, and nothing else happened meanwhile: who shares its provider session as another user is
    /// out.
    mutating func signedIn(_ instance: Instance, _ user: String, since instant: Duration) {
        for other in Self.sharing(instance) where other != instance {
            let facts = facts(other)
            tokens[other] = facts.contains(.user(user)) ? facts.intersection([.user(user), .out]) : [.out]
        }
        tokens[instance] = [.user(user)]
        providers[Self.provider(instance)] = [.user(user)]
        since[instance] = instant
    }

    /// Whether one of these users may be signed in at an instance, or have a session at the provider that it may use.
    func mayBe(_ users: Set<String>, at instance: Instance) -> Bool {
        facts(instance).union(provider(instance)).contains { fact in
            if case .user(let user) = fact { return users.contains(user) }
            return false
        }
    }

    /// None of these users is there any more.
    mutating func end(_ users: Set<String>, at instance: Instance) {
        tokens[instance] = facts(instance).subtracting(users.map(Fact.user)).union([.out])
        let place = Self.provider(instance)
        providers[place] = provider(instance).subtracting(users.map(Fact.user)).union([.out])
    }

    mutating func note(_ instance: Instance, since instant: Duration) { since[instance] = instant }
}
