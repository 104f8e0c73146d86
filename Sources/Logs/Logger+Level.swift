extension Logger {
    /// The severity of a line, in rising order, under the names used in lines and settings.
    public enum Level: String, Sendable, CaseIterable, Comparable, Codable {
        /// Details for finding a fault in the code.
        case trace
        /// One line a step.
        case debug
        /// Start, stop, sign-in, sign-out.
        case info
        /// Unusual, but no fault.
        case notice
        /// A fault that was coped with.
        case warning
        /// A fault that someone must look at.
        case error
        /// A fault that ends the program or most of its use.
        case critical

        /// True if the left level is less severe than the right one.
        @inlinable
        public static func < (left: Level, right: Level) -> Bool {
            left.rank < right.rank
        }

        /// The level of a rank; `critical` for one beyond the last.
        @usableFromInline init(rank: UInt8) {
            switch rank {
            case 0: self = .trace
            case 1: self = .debug
            case 2: self = .info
            case 3: self = .notice
            case 4: self = .warning
            case 5: self = .error
            default: self = .critical
            }
        }

        @usableFromInline var rank: UInt8 {
            @inlinable get {
                switch self {
                case .trace: 0
                case .debug: 1
                case .info: 2
                case .notice: 3
                case .warning: 4
                case .error: 5
                case .critical: 6
                }
            }
        }
    }
}
