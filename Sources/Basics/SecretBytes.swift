#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

/// Bytes that are overwritten with zeros when the last reference goes: a request body with a password, a data key.
///
/// Sendable invariant: the memory is written in `init` and `deinit` only; both run when no other reference exists.
public final class SecretBytes: @unchecked Sendable {
    @usableFromInline let storage: UnsafeMutableRawBufferPointer

    /// Copies the bytes; the caller cleanses or forgets its own copy.
    public init(_ bytes: [UInt8]) {
        storage = .allocate(byteCount: bytes.count, alignment: 16)
        bytes.withUnsafeBytes { storage.copyMemory(from: $0) }
    }

    /// Copies borrowed bytes; the caller cleanses or forgets them.
    public init(copying bytes: UnsafeRawBufferPointer) {
        storage = .allocate(byteCount: bytes.count, alignment: 16)
        storage.copyMemory(from: bytes)
    }

    deinit {
        if let base = storage.baseAddress { explicit_bzero(base, storage.count) }
        storage.deallocate()
    }

    /// The number of bytes.
    public var count: Int { storage.count }

    /// Lends the bytes for the length of the call; the pointer must not leave it.
    @inlinable
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Prints `<secret>` in place of the value.
    public var description: String { "<secret>" }
    /// Prints `<secret>` in place of the value.
    public var debugDescription: String { "<secret>" }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Overwrites an array that held a secret with zeros, in place.
///
/// Only the buffer that this variable owns alone is reached: a copy that shares it is left as it is.
public func cleanse(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { buffer in
        if let base = buffer.baseAddress { explicit_bzero(base, buffer.count) }
    }
    bytes.removeAll(keepingCapacity: false)
}

/// Overwrites borrowed memory that held a secret with zeros.
public func cleanse(_ bytes: UnsafeMutableRawBufferPointer) {
    if let base = bytes.baseAddress { explicit_bzero(base, bytes.count) }
}
