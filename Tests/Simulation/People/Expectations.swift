/// What the user of a browser has reason to expect: where they are signed in, and where they are signed out.
///
/// A user is sure only of what one request after the other has brought: who signs in and out in two tabs at once has to take
/// either for the last.
struct Expectations {
    /// A sign-in that the user saw.
    struct SignIn: Equatable {
        let user: String
        let since: Duration
    }

    /// A logout that was answered with success.
    struct Logout {
        let began: Duration
        let ended: Duration
    }

    private(set) var signIns: [Instance: SignIn] = [:]
    private(set) var logouts: [Instance: Logout] = [:]
    /// Requests under way that may end or change sign-ins.
    private(set) var underWay = 0
    /// When two of them were under way last.
    private(set) var lastOverlap = Duration.seconds(-1)
    /// When a request was sent, or answered, that ends sign-ins.
    private(set) var lastEnding = Duration.seconds(-1)
    /// A change of the cookie may have been made of which no answer came.
    private(set) var hasLostTrack = false
    /// When an answer came last that may have kept the session alive.
    var lastUse = Duration.zero

    /// A request that may change sign-ins goes out.
    mutating func began(_ now: Duration) {
        underWay += 1
        if underWay > 1 { lastOverlap = now }
    }

    /// One is over.
    mutating func ended(_ now: Duration) {
        if underWay > 1 { lastOverlap = now }
        underWay -= 1
    }

    /// No answer came to a request that may have changed the cookie.
    mutating func lostTrack() {
        hasLostTrack = true
        signIns = [:]
    }

    /// An answer has brought the cookie that counts.
    mutating func foundTrack() { hasLostTrack = false }

    /// The user sees that they are signed in.
    mutating func signedIn(_ instance: Instance, _ user: String, at now: Duration) {
        signIns[instance] = underWay == 0 && !hasLostTrack ? SignIn(user: user, since: now) : nil
    }

    /// Something begins that changes a sign-in of the account with clients of this product, and no other.
    mutating func unsure(_ instance: Instance) {
        signIns = signIns.filter { $0.key.account != instance.account || $0.key.isDaVinci != instance.isDaVinci }
    }

    /// Something begins that ends sign-ins: those of an instance and what shares its session, or of a whole account, or
    /// all.
    mutating func ends(_ instance: Instance?, _ account: String?, at now: Duration) {
        lastEnding = now
        if let instance { return unsure(instance) }
        signIns = signIns.filter { account != nil && $0.key.account != account }
    }

    /// Somebody ends sign-ins of these users without a cookie; nil for those of all.
    mutating func endsElsewhere(_ users: Set<String>?, at now: Duration) {
        lastEnding = now
        signIns = signIns.filter { _, signIn in users.map { !$0.contains(signIn.user) } ?? false }
    }

    /// A logout was answered with success.
    mutating func loggedOut(_ instances: [Instance], _ logout: Logout) {
        for instance in instances where (logouts[instance]?.began ?? .seconds(-1)) < logout.began {
            logouts[instance] = logout
        }
    }

    /// The store has forgotten what was written since an instant.
    mutating func forget(since instant: Duration) {
        lostTrack()
        logouts = logouts.filter { $0.value.ended <= instant }
    }

    mutating func forget(_ instance: Instance) { signIns[instance] = nil }
}
