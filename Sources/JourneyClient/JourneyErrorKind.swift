internal import JSON
public import Orchestrate

/// What kind of refusal AM sent (docs/protocol.md, 'Refusals').
///
/// The raw value is the stable reason of the REST API. Messages are localised and never looked into, but for those of AM's
/// own code that have no other sign.
public enum JourneyErrorKind: String, Sendable, CaseIterable {
    /// The journey ended in its failure node: wrong password, locked user, a refusal of its own.
    case authenticationFailed = "authentication-failed"
    /// The step was answered too late.
    case journeyExpired = "journey-expired"
    /// The suspended link was used or has expired.
    case suspendedExpired = "suspended-expired"
    /// Values did not meet policies, outside any callback.
    case policyFailed = "policy-failed"
    /// The request is not one that AM takes: no such journey or realm. Someone must look at the configuration.
    case badRequest = "bad-request"

    /// Another user answered the journey than the one whose session it was to make stronger; or, where AM took no session
    /// along, anybody.
    case accountMismatch = "account-mismatch"

    /// Sorts a refusal.
    ///
    /// AM's products differ: one says by 408, another by 401 with a number, an old one by 400 with a text that a step came
    /// too late; and many refusals have no `detail`.
    public init(_ node: ErrorNode) {
        let detail = node.input["detail"]
        let number = detail?["errorCode"]?.string
        if node.status == 408 || number == "110" {
            self = .journeyExpired
        } else if node.status == 401, number == "128" {
            // A transaction that is over, or was never begun.
            self = .journeyExpired
        } else if node.message.names("SuspendedAuthSessionException") {
            self = .suspendedExpired
        } else if node.status == 403, detail?["failedPolicyRequirements"]?.array != nil {
            self = .policyFailed
        } else if node.status == 401 || node.status == 403 {
            self = .authenticationFailed
        } else if node.status == 400, node.message.names("Authentication timeout") {
            self = .journeyExpired
        } else if node.status == 400, node.message.names("Invalid session ID") {
            self = .journeyExpired
        } else if node.status == 400, node.message.names("Session Upgrade fails since user is different") {
            self = .accountMismatch
        } else {
            self = .badRequest
        }
    }
}

extension String {
    /// Whether an ASCII word occurs in the text; compares bytes, where `contains` compares characters.
    fileprivate func names(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { text in
            word.withUTF8Buffer { word in
                guard text.count >= word.count else { return false }
                return (0...text.count - word.count).contains { start in
                    text[start] == word[0] && text[start..<start + word.count].elementsEqual(word)
                }
            }
        }
    }
}

extension ErrorNode {
    /// Whether AM knows no journey or chain of the name.
    package var isUnknownJourney: Bool { status == 400 && message.names("No Configuration found") }

    /// What kind of refusal it is.
    public var journeyKind: JourneyErrorKind { JourneyErrorKind(self) }

    /// What the journey has that AM sends as no page, in the words of a log line; nil for every other refusal.
    package var unshownCallback: String? {
        if input["reason"]?.string == "http-auth-failed" {
            return "HttpCallback, which is for browsers at AM's own pages"
        }
        guard status == 400, message.names("Cannot be converted into a JSON representation") else { return nil }
        return "a callback that AM has no JSON for, such as X509CertificateCallback"
    }
}
