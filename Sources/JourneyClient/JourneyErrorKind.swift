internal import JSON
public import Orchestrate

/// The kind of a refusal by AM (docs/protocol.md, 'Refusals').
///
/// The raw value is the stable reason of the REST API. Messages are localised and are not read, except messages of AM's
/// own code that are the only sign of a kind.
public enum JourneyErrorKind: String, Sendable, CaseIterable {
    /// The journey ended in its failure node: wrong password, locked user, or a refusal of the journey itself.
    case authenticationFailed = "authentication-failed"
    /// The step was answered after its timeout.
    case journeyExpired = "journey-expired"
    /// The link of a suspended journey was used or has expired.
    case suspendedExpired = "suspended-expired"
    /// Values failed policies, outside any callback.
    case policyFailed = "policy-failed"
    /// AM does not accept the request: no such journey or realm.
    ///
    /// An administrator must correct the configuration.
    case badRequest = "bad-request"

    /// The user who answered a step-up is not the user of the session to upgrade.
    ///
    /// AM also sends this refusal for every user if AM did not take over the session of the request.
    case accountMismatch = "account-mismatch"

    /// Classifies a refusal.
    ///
    /// AM's products differ in how they report an expired step: by 408, by 401 with an error number, or, in old
    /// versions, by 400 with a text. Many refusals have no `detail`.
    public init(_ node: ErrorNode) {
        let detail = node.input["detail"]
        let number = detail?["errorCode"]?.string
        if node.status == 408 || number == "110" {
            self = .journeyExpired
        } else if node.status == 401, number == "128" {
            // A transaction that has ended or never began.
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
    /// True if an ASCII word occurs in the text; compares bytes, where `contains` compares characters.
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
    /// True if AM knows no journey or chain of the requested name.
    package var isUnknownJourney: Bool { status == 400 && message.names("No Configuration found") }

    /// The kind of the refusal.
    public var journeyKind: JourneyErrorKind { JourneyErrorKind(self) }

    /// The journey's callback that AM cannot send as JSON, as text for a log line; nil for every other refusal.
    package var unshownCallback: String? {
        if input["reason"]?.string == "http-auth-failed" {
            return "HttpCallback, which is for browsers at AM's own pages"
        }
        guard status == 400, message.names("Cannot be converted into a JSON representation") else { return nil }
        return "a callback that AM has no JSON for, such as X509CertificateCallback"
    }
}
