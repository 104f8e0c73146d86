internal import JSON

/// Why a journey ends badly; each dialect has words of its own for it.
enum JourneyRefusal: Sendable {
    /// Wrong answers.
    case refused
    /// Wrong answers, and so many more of them lock the user.
    case warned(Int)
    /// A locked user.
    case locked
    /// The right answers of a user who may not sign in.
    case inactive
    /// What the journey says itself.
    case custom(message: String, detail: JSONObject)

    /// What PingAM says.
    var pingMessage: String {
        switch self {
        case .refused, .inactive: "Login failure"
        case .warned(let left): "Warning: You will be locked out after \(left) more failure(s)."
        case .locked: "User Locked Out."
        case .custom(let message, _): message
        }
    }

    /// What PingAM adds.
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
