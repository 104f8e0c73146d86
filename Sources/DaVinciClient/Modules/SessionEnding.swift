internal import HTTPCore
internal import JSON
internal import Orchestrate

/// What an answer to a sign-off says of the session.
enum SessionEnding: Sendable, Equatable {
    /// PingOne has ended it: any 2xx or 3xx.
    case ended
    /// PingOne will not end it this way, and says so by JSON or by a redirect that carries an error.
    case refused
    /// Nothing: the answer is that of a gateway in front of PingOne, or says that it is too early.
    case unanswered

    /// Reads an answer.
    init(_ response: Response) {
        switch response.status {
        case 200..<300: self = .ended
        case 300..<400: self = Self.carriesError(response) ? .refused : .ended
        case 408, 429: self = .unanswered
        case 400..<500: self = (try? response.json()) == nil ? .unanswered : .refused
        default: self = .unanswered
        }
    }

    /// The address may be relative, and the error stand behind a number sign.
    private static func carriesError(_ response: Response) -> Bool {
        let parts = (response.header("Location") ?? "").split { $0 == "?" || $0 == "#" }.dropFirst()
        return !parts.allSatisfy { QueryParameters(parsing: String($0))?.all("error").isEmpty ?? true }
    }
}
