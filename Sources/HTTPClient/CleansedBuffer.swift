#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Bytes that are overwritten with zeros when they move and when they go: bodies may hold passwords and tokens.
final class CleansedBuffer {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The number of bytes.
    private(set) var count = 0

    init() {}

    init(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    deinit {
        release()
    }

    /// The first byte; nil when empty.
    ///
    /// Valid until the next `append` or the end of the object.
    var baseAddress: UnsafeMutableRawPointer? { count == 0 ? nil : storage.baseAddress }

    /// A copy as an array, which nobody cleanses unless its owner does.
    var bytes: [UInt8] {
        [UInt8](UnsafeRawBufferPointer(rebasing: storage[..<count]))
    }

    /// Makes room so that appending up to this many bytes in all moves nothing.
    func reserve(_ capacity: Int) {
        guard capacity > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        release()
        storage = larger
    }

    /// Empties it; the room stays.
    func removeAll() {
        if let base = storage.baseAddress { explicit_bzero(base, count) }
        count = 0
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        if count + bytes.count > storage.count { reserve(max(count + bytes.count, 2 * storage.count, 1024)) }
        storage.baseAddress?.advanced(by: count).copyMemory(from: source, byteCount: bytes.count)
        count += bytes.count
    }

    private func release() {
        if let base = storage.baseAddress { explicit_bzero(base, count) }
        storage.deallocate()
    }
}
