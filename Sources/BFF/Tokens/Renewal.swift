/// What it takes to renew the tokens of an instance.
struct Renewal: Sendable {
    let call: InstanceCall
    /// Renews the tokens of this revision even when they are good; nil to renew what is due.
    let seen: UInt64?

    /// Where the tokens are.
    var field: String { call.tokenField }
    /// Where the user record is.
    var userField: String { call.userField }
}
