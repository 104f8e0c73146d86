internal import CShims

/// A set of I/O events: those a descriptor is watched for, or those it is ready for.
public struct DescriptorReadiness: OptionSet, Sendable, Hashable {
    /// The bits of the set.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Reading would not block: bytes, an end of stream or an error can be read.
    public static let readable = DescriptorReadiness(rawValue: 1)
    /// Writing would not block: the buffer has room, or an error is pending.
    public static let writable = DescriptorReadiness(rawValue: 2)
    /// The peer has closed its side of the connection, or both sides.
    ///
    /// Reported in each turn from then on, so the handler unwatches the descriptor or changes its interest.
    public static let closed = DescriptorReadiness(rawValue: 4)
}

extension DescriptorReadiness {
    /// The bits for epoll; level-triggered.
    var epollEvents: UInt32 {
        (contains(.readable) ? EPOLLIN.rawValue | EPOLLRDHUP.rawValue : 0)
            | (contains(.writable) ? EPOLLOUT.rawValue : 0)
            | (contains(.closed) ? EPOLLRDHUP.rawValue : 0)
    }

    /// Makes the set from the events that epoll reported.
    ///
    /// An error or a hang-up counts as everything that was asked for, so that the next read or write reports it and no
    /// handler needs a third case.
    init(epollEvents events: UInt32, asked: DescriptorReadiness) {
        var ready: DescriptorReadiness = []
        if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue) != 0 { ready.insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { ready.insert(.writable) }
        if events & EPOLLRDHUP.rawValue != 0 { ready.insert(.closed) }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { ready.formUnion(asked) }
        self = ready.intersection(asked)
    }
}
