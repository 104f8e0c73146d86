/// Other origins from which the pages of an app may load; added to the policy of `server.files`.
///
/// Only origins: no wildcard, no scheme alone, and nothing that would let text of a page run as code.
package struct PageSources: Sendable, Equatable {
    /// Scripts; `server.contentSecurityPolicy.scriptSrc`, default none.
    package var scripts: [String] = []
    /// Calls of scripts; `server.contentSecurityPolicy.connectSrc`, default none.
    package var calls: [String] = []
    /// Frames; `server.contentSecurityPolicy.frameSrc`, default none.
    package var frames: [String] = []
    /// Style sheets; `server.contentSecurityPolicy.styleSrc`, default none.
    package var styles: [String] = []
    /// True to let scripts compile WebAssembly; `server.contentSecurityPolicy.wasm`, default false.
    package var allowsWebAssembly = false

    package init() {}

    /// The lists by the names of their settings.
    var lists: [(setting: String, origins: [String])] {
        [("scriptSrc", scripts), ("styleSrc", styles), ("connectSrc", calls), ("frameSrc", frames)]
    }

    /// The policy of the pages: scripts, styles and calls of this origin and of the listed ones only, nothing inline,
    /// and no frames around them.
    var policy: String { policy(framesItself: false) }

    /// Like `policy`; `framesItself` lets pages of this origin frame each other, as Ping's clients for JavaScript do to
    /// learn whether the user is signed in.
    func policy(framesItself: Bool) -> String {
        let frames = (framesItself ? ["'self'"] : []) + frames
        let wasm = allowsWebAssembly ? ["'wasm-unsafe-eval'"] : []
        let framed = frames.isEmpty ? "" : Self.directive("frame-src", frames)
        return "default-src 'none'; " + Self.directive("script-src", ["'self'"] + wasm + scripts)
            + Self.directive("style-src", ["'self'"] + styles) + Self.directive("connect-src", ["'self'"] + calls)
            + framed + "font-src 'self'; manifest-src 'self'; img-src 'self' data: https:; form-action 'self'; "
            + "base-uri 'none'; frame-ancestors \(framesItself ? "'self'" : "'none'")"
    }

    private static func directive(_ name: String, _ sources: [String]) -> String {
        name + " " + sources.joined(separator: " ") + "; "
    }
}
