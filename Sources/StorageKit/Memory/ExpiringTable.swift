/// A dictionary whose entries are absent from the instant they expire, and leave memory a few at a time.
///
/// Each live entry has one place in a queue by time. Extending an entry leaves its place alone: when the place comes up,
/// the entry is queued again for its real end. So sliding a session costs nothing here.
struct ExpiringTable<Key: Hashable, Value> {
    private struct Slot {
        var value: Value
        var expires: Int64
        /// The time of the one place in the queue that counts; others of this key are left-overs.
        var queued: Int64
    }

    private var slots: [Key: Slot] = [:]
    private var queue = ExpiryQueue<Key>()

    /// The entries in memory, expired ones among them.
    var count: Int { slots.count }

    /// The value and its end, nil from the instant `expires` on.
    func value(_ key: Key, at now: Int64) -> (value: Value, expires: Int64)? {
        guard let slot = slots[key], slot.expires > now else { return nil }
        return (slot.value, slot.expires)
    }

    /// Sets a value and its end.
    ///
    /// - Returns: What was in memory before, expired or not.
    @discardableResult
    mutating func set(_ key: Key, _ value: Value, expires: Int64) -> Value? {
        guard let old = slots[key] else {
            slots[key] = Slot(value: value, expires: expires, queued: expires)
            enqueue(key, expires)
            return nil
        }
        let queued = min(old.queued, expires)
        slots[key] = Slot(value: value, expires: expires, queued: queued)
        if queued < old.queued { enqueue(key, queued) }
        return old.value
    }

    /// Takes an entry out; its place in the queue stays until its time or the next clearing.
    @discardableResult
    mutating func remove(_ key: Key) -> (value: Value, expires: Int64)? {
        slots.removeValue(forKey: key).map { ($0.value, $0.expires) }
    }

    /// Takes out the entry that is due first, expired or not; for tables that forget the oldest when full.
    mutating func removeFirst() {
        while let place = queue.popFirst() {
            guard let slot = slots[place.key], slot.queued == place.time else { continue }
            slots[place.key] = nil
            return
        }
    }

    /// Looks at no more than `limit` places that are due and hands out the values that have expired.
    mutating func purge(at now: Int64, limit: Int, _ removed: (Value) -> Void) {
        for _ in 0..<limit {
            guard let first = queue.first, first <= now, let place = queue.popFirst() else { return }
            guard let slot = slots[place.key], slot.queued == place.time else { continue }
            if slot.expires > now {
                slots[place.key]?.queued = slot.expires
                enqueue(place.key, slot.expires)
            } else {
                slots[place.key] = nil
                removed(slot.value)
            }
        }
    }

    /// Keeps left-overs of removed entries from outnumbering the entries; linear, but only after as many removals.
    private mutating func enqueue(_ key: Key, _ time: Int64) {
        guard queue.count >= 2 * slots.count + 64 else { return queue.insert(key, at: time) }
        queue.rebuild(slots.map { ($0.value.queued, $0.key) })
    }
}
