/// A dictionary whose entries are absent from the instant they expire, and leave memory a few at a time.
///
/// Each live entry has one place in a queue by time. Extending an entry leaves its place alone: when the place comes up,
/// the entry is queued again for its real end. So sliding a session costs nothing here. A value that has something to
/// let go of before its end asks to be looked at then.
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
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value.
    ///   - expires: Its end.
    ///   - purgeDue: Shows the value to `purge` from this instant on, if that is before the end.
    /// - Returns: What was in memory before, expired or not.
    @discardableResult
    mutating func set(_ key: Key, _ value: Value, expires: Int64, purgeDue: Int64 = .max) -> Value? {
        let first = min(purgeDue, expires)
        guard let old = slots[key] else {
            slots[key] = Slot(value: value, expires: expires, queued: first)
            enqueue(key, first)
            return nil
        }
        let queued = min(old.queued, first)
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
    ///
    /// - Parameters:
    ///   - now: The instant.
    ///   - limit: So many places.
    ///   - kept: Lets go of parts of a value that lives on, and says when to look at it again.
    ///   - removed: Gets what has expired.
    mutating func purge(
        at now: Int64, limit: Int, kept: (inout Value) -> Int64 = { _ in .max }, _ removed: (Value) -> Void
    ) {
        for _ in 0..<limit {
            guard let first = queue.first, first <= now, let place = queue.popFirst() else { return }
            guard let slot = slots[place.key], slot.queued == place.time else { continue }
            if slot.expires > now {
                var slot = slot
                slots[place.key] = nil  // so that the value has one owner
                let purgeDue = kept(&slot.value)
                slot.queued = min(slot.expires, purgeDue > now ? purgeDue : .max)
                slots[place.key] = slot
                enqueue(place.key, slot.queued)
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
