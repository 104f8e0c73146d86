/// Bounds on a document, checked before memory is spent on it.
public struct JSONLimits: Sendable, Equatable {
    /// The deepest nesting that any caller may ask for; the parser uses the thread's stack.
    public static let deepest = 512

    /// The longest input, in bytes; 1 MiB unless set.
    public var maxBytes: Int
    /// How many arrays and objects may be open at once, 0 to `deepest`; 64 unless set.
    public var maxDepth: Int {
        didSet { maxDepth = min(max(maxDepth, 0), Self.deepest) }
    }
    /// How many object members and array elements the whole document may have; 50,000 unless set.
    public var maxMembers: Int

    /// Bounds on a document; `maxDepth` is lowered to `deepest`.
    public init(maxBytes: Int = 1 << 20, maxDepth: Int = 64, maxMembers: Int = 50_000) {
        self.maxBytes = maxBytes
        self.maxDepth = min(max(maxDepth, 0), Self.deepest)
        self.maxMembers = maxMembers
    }

    /// 1 MiB, 64 levels, 50,000 members.
    public static let standard = JSONLimits()
}
