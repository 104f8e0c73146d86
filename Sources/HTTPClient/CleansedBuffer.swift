#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// A buffer that is overwritten with zeros when it moves and when it is freed: bodies may hold passwords and tokens.
///
/// Sendable invariant: one thread uses it at a time. An exchange's are used on its event thread; those in a
/// `StreamPipe` behind its lock, and handed from one side to the other there.
final class CleansedBuffer: @unchecked Sendable {
    private var storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    /// The number of bytes.
    private(set) var count = 0

    init() {}

    deinit {
        release()
    }

    /// A copy as an array, which only its owner can cleanse.
    var bytes: [UInt8] { [UInt8](view) }

    /// All bytes; valid until the next `append` or the end of the object.
    var view: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    /// Reserves room for this many bytes in all, so that appending up to it moves nothing.
    func reserve(_ capacity: Int) {
        guard capacity > storage.count else { return }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<count]))
        release()
        storage = larger
    }

    /// Empties the buffer; its capacity stays.
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

    /// Appends what the body writes.
    ///
    /// - Parameters:
    ///   - size: The most bytes that it writes.
    ///   - body: Writes to memory of that size and returns the number of bytes written.
    /// - Throws: Rethrows; the memory is cleansed and nothing was appended.
    func append<Failure: Error>(
        upTo size: Int, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        reserve(count + size)
        let memory = UnsafeMutableRawBufferPointer(rebasing: storage[count..<(count + size)])
        do throws(Failure) {
            count += try body(memory)
        } catch {
            if let base = memory.baseAddress { explicit_bzero(base, size) }
            throw error
        }
    }

    private func release() {
        if let base = storage.baseAddress { explicit_bzero(base, count) }
        storage.deallocate()
    }
}
