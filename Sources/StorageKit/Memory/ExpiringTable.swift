/// A dictionary whose entries are absent from the instant they expire, and are removed from memory a few at a time.
///
/// Each live entry has one place in a queue by time. Extending an entry does not move its place: when the place comes
/// up, the entry is queued again for its real end. So extending a session costs nothing here. A value with parts that
/// expire before it can ask to be looked at earlier.
struct ExpiringTable<Key: Hashable, Value> {
    private struct Slot {
        var value: Value
        var expires: Int64
        /// The time of the entry's one valid place in the queue; other places of this key are left-overs.
        var queued: Int64
    }

    private var slots: [Key: Slot] = [:]
    private var queue = ExpiryQueue<Key>()

    /// The number of entries in memory, expired ones included.
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
    ///   - purgeDue: The instant from which `purge` looks at the value, if it is before the end.
    /// - Returns: The value that was in memory before, expired or not.
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

    /// Changes a value in place, expired or not.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - value: The value that is changed and kept if there is none.
    ///   - body: Changes the value and returns its new end; nil removes it.
    /// - Throws: What `body` throws; the end stays as it is.
    mutating func change(
        _ key: Key, default value: @autoclosure () -> Value,
        _ body: (inout Value) throws(StoreError) -> Int64?
    ) throws(StoreError) {
        guard let place = slots.index(forKey: key) else {
            var value = value()
            if let expires = try body(&value) { set(key, value, expires: expires) }
            return
        }
        guard let expires = try body(&slots.values[place].value) else {
            slots.remove(at: place)
            return
        }
        slots.values[place].expires = expires
        guard expires < slots.values[place].queued else { return }
        slots.values[place].queued = expires
        enqueue(key, expires)
    }

    /// Removes an entry; its place in the queue stays until its time or the next rebuild of the queue.
    @discardableResult
    mutating func remove(_ key: Key) -> (value: Value, expires: Int64)? {
        slots.removeValue(forKey: key).map { ($0.value, $0.expires) }
    }

    /// Removes the entry that is due first, expired or not; for tables that drop the oldest entry when full.
    mutating func removeFirst() {
        while let place = queue.popFirst() {
            guard let slot = slots[place.key], slot.queued == place.time else { continue }
            slots[place.key] = nil
            return
        }
    }

    /// Handles at most `limit` places that are due, and hands out the values that have expired.
    ///
    /// - Parameters:
    ///   - now: The instant.
    ///   - limit: The largest number of places to handle.
    ///   - kept: Removes expired parts of a value that is still alive, and returns when to look at it again.
    ///   - removed: Receives each value that has expired.
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

    /// Queues a key, and rebuilds the queue when left-overs outnumber the entries.
    ///
    /// A rebuild takes linear time, but happens only after as many removals.
    private mutating func enqueue(_ key: Key, _ time: Int64) {
        guard queue.count >= 2 * slots.count + 64 else { return queue.insert(key, at: time) }
        queue.rebuild(slots.map { ($0.value.queued, $0.key) })
    }
}
