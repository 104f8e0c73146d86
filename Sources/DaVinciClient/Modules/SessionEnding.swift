internal import HTTPCore
internal import JSON
internal import Orchestrate

/// The effect of a sign-off request on the session.
enum SessionEnding: Sendable, Equatable {
    /// PingOne has ended it: any 2xx or 3xx.
    case ended
    /// PingOne does not end it this way: it answered 4xx with JSON, or with a redirect that carries an error.
    case refused
    /// Unknown: a gateway in front of PingOne answered, or the request came too early.
    case unanswered

    /// Reads an answer to a sign-off request.
    init(_ response: Response) {
        switch response.status {
        case 200..<300: self = .ended
        case 300..<400: self = Self.carriesError(response) ? .refused : .ended
        case 408, 429: self = .unanswered
        case 400..<500: self = (try? response.json()) == nil ? .unanswered : .refused
        default: self = .unanswered
        }
    }

    /// True if a redirect carries `error`; its address may be relative, and the error may be in the fragment.
    private static func carriesError(_ response: Response) -> Bool {
        let parts = (response.header("Location") ?? "").split { $0 == "?" || $0 == "#" }.dropFirst()
        return !parts.allSatisfy { QueryParameters(parsing: String($0))?.all("error").isEmpty ?? true }
    }
}
