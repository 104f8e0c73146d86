/// Values by text keys, with a capacity; a full table drops the tenth that was set longest ago.
struct BoundedTable<Value> {
    private var entries: [String: (serial: UInt64, value: Value)] = [:]
    private var serial: UInt64 = 0
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var count: Int { entries.count }
    /// True if the next new key makes room by dropping others.
    var isFull: Bool { entries.count >= capacity }
    var values: [Value] { entries.values.map(\.value) }

    subscript(key: String) -> Value? {
        get { entries[key]?.value }
        set {
            guard let newValue else {
                entries[key] = nil
                return
            }
            if isFull, entries[key] == nil { shrink() }
            serial += 1
            entries[key] = (serial, newValue)
        }
    }

    mutating func remove(_ key: String) -> Value? { entries.removeValue(forKey: key)?.value }

    mutating func removeAll(where doomed: (Value) -> Bool) {
        entries = entries.filter { !doomed($0.value.value) }
    }

    private mutating func shrink() {
        let serials = entries.values.map(\.serial).sorted()
        let limit = serials[serials.count / 10]
        entries = entries.filter { $0.value.serial > limit }
    }
}
