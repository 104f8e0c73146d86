internal import JSON

/// Why a journey ends badly; each dialect has words of its own for it.
enum JourneyRefusal: Sendable {
    /// The answers were wrong.
    case refused
    /// Wrong answers, and so many more of them lock the user.
    case warned(Int)
    /// The user is locked.
    case locked
    /// The right answers of a user who may not sign in.
    case inactive
    /// What the journey says itself.
    case custom(message: String, detail: JSONObject)

    /// The message that PingAM sends.
    var pingMessage: String {
        switch self {
        case .refused, .inactive: "Login failure"
        case .warned(let left): "Warning: You will be locked out after \(left) more failure(s)."
        case .locked: "User Locked Out."
        case .custom(let message, _): message
        }
    }

    /// The `detail` that PingAM sends with it.
    var pingDetail: JSONObject {
        guard case .custom(_, let detail) = self else { return ["failureUrl": ""] }
        return detail
    }

    /// What OpenAM says; it adds nothing.
    var openAMMessage: String {
        switch self {
        case .refused: "Authentication Failed"
        case .warned(let left): "Authentication Failed Warning: You will be locked out after \(left) more failure(s)."
        case .locked: "Your account has been locked."
        case .inactive: "User not Active"
        case .custom(let message, _): message
        }
    }
}
