import BFF
import JSON

/// What a start says to a journey, member by member as the REST API has them.
extension StartRequest {
    /// The journey that is named.
    public var journey: String? {
        get { product.values["journey"]?.string }
        set { product.values["journey"] = newValue.map { .string($0) } }
    }

    /// Whether the whole flow runs, because the browser or the server wants it.
    public var forceAuth: Bool {
        get { isForced || product.values["forceAuth"] == true }
        set { product.values["forceAuth"] = newValue ? true : nil }
    }

    /// Whether no provider session is made.
    public var noSession: Bool {
        get { product.values["noSession"] == true }
        set { product.values["noSession"] = newValue ? true : nil }
    }

    /// The id of the suspended journey that goes on.
    public var suspendedID: String? {
        get { product.values["suspendedId"]?.string }
        set {
            product.values["suspendedId"] = newValue.map { .string($0) }
            isResumed = newValue != nil
        }
    }
}
