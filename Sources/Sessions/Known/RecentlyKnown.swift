/// A cache of bounded size, in two halves by age.
///
/// When the younger half is full, it becomes the older half, and the former older half is dropped.
struct RecentlyKnown<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let limit: Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    /// Makes a cache for up to twice as many values as `limit`.
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
