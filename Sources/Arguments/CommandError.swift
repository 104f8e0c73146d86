/// Why a command ends without success.
public enum CommandError: Error, Sendable, Equatable {
    /// The arguments are invalid: the sentence and a usage line go to standard error, the status is 64.
    case wrongUse(String)
    /// The command failed: the sentence goes to standard error, the status is 1.
    case failed(String)
    /// The command failed and has already printed the reason: the status is 1.
    case reported
}

/// The exit statuses of a program.
enum ExitStatus {
    static let success: Int32 = 0
    static let failure: Int32 = 1
    /// `EX_USAGE` of sysexits.h.
    static let wrongUse: Int32 = 64
}
