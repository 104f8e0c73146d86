/// What this process has come to know last, in no more memory than it may take: the younger half becomes the older one
/// when it is full, and that is forgotten.
struct RecentlyKnown<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Keeps up to twice as many values as `limit` says.
    init(limit: Int) { self.limit = limit }

    subscript(key: Key) -> Value? {
        get { young[key] ?? old[key] }
        set {
            if newValue == nil { old[key] = nil }
            if newValue != nil, young[key] == nil, young.count >= limit { (young, old) = ([:], young) }
            young[key] = newValue
        }
    }
}
