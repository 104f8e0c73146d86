internal import Basics

/// Holds threads of a `ScriptedPeer` back until a test lets them through; see `Gate` for tasks.
public final class Latch: Sendable {
    private let isOpen = Monitor(false)

    /// A closed latch.
    public init() {}

    /// Blocks the thread until the latch opens, at most for a minute.
    public func pass() {
        _ = isOpen.wait(atMost: .seconds(60)) { $0 ? true : nil }
    }

    /// Lets every thread through, now and later.
    public func open() {
        isOpen.change { $0 = true }
    }
}
