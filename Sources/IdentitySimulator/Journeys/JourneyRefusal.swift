internal import JSON

/// The reason why a journey fails; each dialect has messages of its own for it.
enum JourneyRefusal: Sendable {
    /// The answers were wrong.
    case refused
    /// The answers were wrong; this many more wrong answers lock the user.
    case warned(Int)
    /// The user is locked.
    case locked
    /// The answers were right, but the user's account is not active.
    case inactive
    /// The journey has a message and a detail of its own.
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

    /// The message that OpenAM sends; it has no `detail`.
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
