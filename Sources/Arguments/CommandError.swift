/// Why a command ends without having done what it was told to.
public enum CommandError: Error, Sendable, Equatable {
    /// What was given cannot be used: the sentence and a usage line go to standard error, the status is 64.
    case wrongUse(String)
    /// It did not work: the sentence goes to standard error, the status is 1.
    case failed(String)
    /// It did not work, and the command has said so itself: the status is 1.
    case reported
}

/// The status with which a program ends.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    /// `EX_USAGE` of sysexits.h.
    static let wrongUse: Int32 = 64
}
