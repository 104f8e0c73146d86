#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// The header fields of a request, in one compact copy.
///
/// Names are in lower case; values have no leading or trailing white space, no control characters and are taken as
/// UTF-8 with broken sequences replaced. Repeated fields are kept apart, in order.
///
/// Layout of `storage`, per field: four bytes length of the name, four bytes length of the value (host order), the
/// name, the value. A look-up walks the lengths and compares only names of the right length; it builds a string only
/// for a value that it returns.
public struct RequestHeaders: Sendable {
    private var storage: [UInt8]
    /// The number of fields; each occurrence of a repeated field counts.
    public private(set) var count: Int

    /// Makes an empty list.
    public init() {
        storage = []
        count = 0
    }

    /// Makes fields from names and values, for requests that tests make by hand.
    ///
    /// - Parameter fields: Names in any case, with their values; not checked or changed otherwise.
    public init(_ fields: [(name: String, value: String)]) {
        self.init()
        for field in fields {
            append(name: field.name.utf8, value: field.value.utf8)
        }
    }

    /// Makes fields from bytes that have the layout of `storage`.
    init(storage: [UInt8], count: Int) {
        self.storage = storage
        self.count = count
    }

    /// Adds a field at the end; the name is put in lower case (ASCII).
    mutating func append(name: some Collection<UInt8>, value: some Collection<UInt8>) {
        appendLength(name.count)
        appendLength(value.count)
        for byte in name { storage.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte) }
        storage.append(contentsOf: value)
        count += 1
    }

    private mutating func appendLength(_ length: Int) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: length)) { storage.append(contentsOf: $0) }
    }

    /// The first value of a name.
    ///
    /// - Parameter name: In lower case.
    /// - Returns: The value; nil when the field is missing.
    public func first(_ name: String) -> String? {
        var found: String?
        walk(named: name) { value in
            found = String(decoding: value, as: UTF8.self)
            return false
        }
        return found
    }

    /// The value of a name that occurs exactly once.
    ///
    /// - Parameter name: In lower case.
    /// - Returns: The value; nil when the field is missing or repeated.
    public func single(_ name: String) -> String? {
        var found: String?
        var hits = 0
        walk(named: name) { value in
            hits += 1
            if hits == 1 { found = String(decoding: value, as: UTF8.self) }
            return hits < 2
        }
        return hits == 1 ? found : nil
    }

    /// All values of a name, in order.
    ///
    /// - Parameter name: In lower case.
    /// - Returns: One string per occurrence, not split at commas.
    public func values(_ name: String) -> [String] {
        var found = [String]()
        walk(named: name) { value in
            found.append(String(decoding: value, as: UTF8.self))
            return true
        }
        return found
    }

    /// The number of times a name occurs.
    ///
    /// - Parameter name: In lower case.
    /// - Returns: 0 when the field is missing.
    public func count(_ name: String) -> Int {
        var hits = 0
        walk(named: name) { _ in
            hits += 1
            return true
        }
        return hits
    }

    /// True if a field occurs exactly once with exactly this value; builds no string.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - expected: Compared byte by byte.
    /// - Returns: False when the field is missing, repeated or different.
    public func isSingle(_ name: String, _ expected: String) -> Bool {
        var hits = 0
        var same = false
        walk(named: name) { value in
            hits += 1
            same = Self.equal(value, expected)
            return hits < 2
        }
        return hits == 1 && same
    }

    /// True if a field occurs exactly once with one of these values, without regard to the case of ASCII letters.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - expected: The bytes of each value, in lower case.
    /// - Returns: False when the field is missing, repeated or different.
    public func isSingle(_ name: String, ignoringCase expected: [[UInt8]]) -> Bool {
        var hits = 0
        var same = false
        walk(named: name) { value in
            hits += 1
            same = expected.contains { known in
                guard known.count == value.count else { return false }
                for index in value.indices {
                    let byte = value[index]
                    guard known[index] == (byte &- 0x41 < 26 ? byte | 0x20 : byte) else { return false }
                }
                return true
            }
            return hits < 2
        }
        return hits == 1 && same
    }

    /// Lends the bytes of every value of a name, in order, without building strings.
    ///
    /// - Parameters:
    ///   - name: In lower case.
    ///   - body: Called with the bytes while they are valid.
    public func forEachValue(_ name: String, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        walk(named: name) { value in
            body(value)
            return true
        }
    }

    /// Visits all fields in order.
    ///
    /// - Parameter body: Called with the name in lower case and the value.
    public func forEach(_ body: (_ name: String, _ value: String) -> Void) {
        walk { name, value in
            body(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
            return true
        }
    }

    @inline(__always)
    private func walk(named wanted: String, _ visit: (UnsafeBufferPointer<UInt8>) -> Bool) {
        var wanted = wanted
        wanted.withUTF8 { wanted in
            walk { name, value in
                guard Self.equal(name, wanted) else { return true }
                return visit(value)
            }
        }
    }

    private static func equal(_ value: UnsafeBufferPointer<UInt8>, _ expected: String) -> Bool {
        var expected = expected
        return expected.withUTF8 { equal(value, $0) }
    }

    @inline(__always)
    private static func equal(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        guard let first = left.baseAddress, let second = right.baseAddress else { return true }
        return memcmp(first, second, left.count) == 0
    }

    @inline(__always)
    private func walk(_ visit: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Bool) {
        storage.withUnsafeBufferPointer { bytes in
            var at = 0
            let raw = UnsafeRawBufferPointer(bytes)
            while at + 8 <= bytes.count {
                let nameEnd = at + 8 + Int(raw.loadUnaligned(fromByteOffset: at, as: UInt32.self))
                let end = nameEnd + Int(raw.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self))
                let name = UnsafeBufferPointer(rebasing: bytes[(at + 8)..<nameEnd])
                guard visit(name, UnsafeBufferPointer(rebasing: bytes[nameEnd..<end])) else { return }
                at = end
            }
        }
    }
}
