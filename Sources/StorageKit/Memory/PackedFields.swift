internal import Basics

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// All fields of a session in one allocation: a list of name, value, revision and end.
///
/// A dictionary of arrays would cost two allocations and some hundred bytes more for each field. The bytes are never
/// changed in place, so a reader may keep them and read them after the lock is released.
struct PackedFields: Sendable {
    /// One field, as a range of the packed bytes.
    struct Field {
        let name: Range<Int>
        let value: Range<Int>
        let revision: UInt64
        let expires: Int64
        /// The range from the head of this field to the next field.
        let whole: Range<Int>
    }

    /// Name length (2), value length (4), revision (8), end (8).
    private static let headCount = 22
    static let neverExpires = Int64.max

    private let bytes: [UInt8]

    init() {
        bytes = []
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var byteCount: Int { bytes.count }

    /// The unexpired field of this name.
    func find(_ name: String, at now: Int64) -> Field? {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while let field = Self.field(at: offset, in: buffer) {
                if Self.isNamed(name, field, in: buffer) { return field.expires > now ? field : nil }
                offset = field.whole.upperBound
            }
            return nil
        }
    }

    /// The selected fields that have not expired.
    func entries(_ selection: FieldSelection, at now: Int64) -> [SessionSnapshot.Entry] {
        switch selection {
        case .names(let names):
            var entries = [SessionSnapshot.Entry]()
            entries.reserveCapacity(names.count)
            for (index, name) in names.enumerated() {
                guard let field = find(name, at: now), !names[..<index].contains(name) else { continue }
                entries.append(.init(name: name, field: stored(field)))
            }
            return entries
        case .all:
            return all(at: now).map { field in
                .init(name: String(decoding: bytes[field.name], as: UTF8.self), field: stored(field))
            }
        }
    }

    /// When the first field expires; `neverExpires` when none does before its session.
    var firstExpiry: Int64 {
        bytes.withUnsafeBytes { buffer in
            var first = Self.neverExpires
            var offset = 0
            while let field = Self.field(at: offset, in: buffer) {
                first = min(first, field.expires)
                offset = field.whole.upperBound
            }
            return first
        }
    }

    /// A copy without expired fields, in an allocation of exactly its size.
    func withoutExpired(at now: Int64) -> PackedFields {
        guard firstExpiry <= now else { return self }
        var last: UInt64 = 0
        return applying([], at: now, last: &last).fields
    }

    /// A copy with the writes applied and expired fields removed.
    ///
    /// - Parameters:
    ///   - writes: The changes, one for each field at most; their expectations have been checked.
    ///   - now: Milliseconds since 1970.
    ///   - last: The last revision issued in this session; raised by one for each field that is set.
    /// - Returns: The new fields and the revisions of those that were set.
    func applying(
        _ writes: [FieldWrite], at now: Int64, last: inout UInt64
    ) -> (fields: PackedFields, revisions: [String: UInt64]) {
        var count = 0
        forEachKept(writes, at: now) { count += $0.count }
        for write in writes {
            guard case .set(let value, _) = write.change else { continue }
            count += Self.headCount + write.field.utf8.count + value.count
        }
        // Needed for correctness: the empty array is one object for the whole process, and filling "nothing" would
        // write to it.
        guard count > 0 else { return (PackedFields(), [:]) }
        var revisions = [String: UInt64]()
        // Allocates exactly the size needed: growing by appending would leave up to half of every session unused.
        let packed = [UInt8](unsafeUninitializedCapacity: count) { out, filled in
            let out = UnsafeMutableRawBufferPointer(out)
            forEachKept(writes, at: now) { field in
                UnsafeMutableRawBufferPointer(rebasing: out[filled..<filled + field.count]).copyMemory(from: field)
                filled += field.count
            }
            for write in writes {
                guard case .set(let value, let expires) = write.change else { continue }
                last += 1
                revisions[write.field] = last
                Self.write(
                    write.field, value, revision: last, expires: expires?.milliseconds ?? Self.neverExpires, to: out,
                    at: &filled)
            }
        }
        return (PackedFields(packed), revisions)
    }

    /// Lends the bytes of each unexpired field that is not written.
    ///
    /// Called twice rather than building a list, because every change of a session runs it.
    private func forEachKept(
        _ writes: [FieldWrite], at now: Int64, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        bytes.withUnsafeBytes { buffer in
            var offset = 0
            while let field = Self.field(at: offset, in: buffer) {
                offset = field.whole.upperBound
                guard field.expires > now, !writes.contains(where: { Self.isNamed($0.field, field, in: buffer) }) else {
                    continue
                }
                body(UnsafeRawBufferPointer(rebasing: buffer[field.whole]))
            }
        }
    }

    private static func isNamed(_ name: String, _ field: Field, in buffer: UnsafeRawBufferPointer) -> Bool {
        var name = name
        return name.withUTF8 { name in
            guard field.name.count == name.count, let start = name.baseAddress, let base = buffer.baseAddress else {
                return false
            }
            return memcmp(base + field.name.lowerBound, start, name.count) == 0
        }
    }

    private func stored(_ field: Field) -> StoredField {
        StoredField(value: Array(bytes[field.value]), revision: field.revision)
    }

    private func all(at now: Int64) -> [Field] {
        bytes.withUnsafeBytes { buffer in
            var fields = [Field]()
            var offset = 0
            while let field = Self.field(at: offset, in: buffer) {
                if field.expires > now { fields.append(field) }
                offset = field.whole.upperBound
            }
            return fields
        }
    }

    private static func field(at offset: Int, in buffer: UnsafeRawBufferPointer) -> Field? {
        guard offset < buffer.count else { return nil }
        let name = Int(buffer.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
        let value = Int(buffer.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self))
        let body = offset + headCount
        return Field(
            name: body..<body + name, value: body + name..<body + name + value,
            revision: buffer.loadUnaligned(fromByteOffset: offset + 6, as: UInt64.self),
            expires: buffer.loadUnaligned(fromByteOffset: offset + 14, as: Int64.self),
            whole: offset..<body + name + value)
    }

    private static func write(
        _ name: String, _ value: [UInt8], revision: UInt64, expires: Int64, to out: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) {
        var name = name
        name.withUTF8 { name in
            precondition(1...Int(UInt16.max) ~= name.count, "a field name has 1 to 65,535 bytes")
            out.storeBytes(of: UInt16(name.count), toByteOffset: offset, as: UInt16.self)
            out.storeBytes(of: UInt32(value.count), toByteOffset: offset + 2, as: UInt32.self)
            out.storeBytes(of: revision, toByteOffset: offset + 6, as: UInt64.self)
            out.storeBytes(of: expires, toByteOffset: offset + 14, as: Int64.self)
            offset += headCount
            out[offset..<offset + name.count].copyBytes(from: name)
            offset += name.count
        }
        out[offset..<offset + value.count].copyBytes(from: value)
        offset += value.count
    }
}
