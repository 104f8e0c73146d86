import Basics
import ResourceServer
import Sessions

extension Requirements {
    /// The goal of a start that only asks the user to sign in again; no configured requirement has this name.
    static let signedIn = "signed-in"

    /// The step-up to offer when the provider finds the user too weakly signed in for a client.
    ///
    /// It starts the client's own flow, which asks the user again even if there is a provider session. Its requirement
    /// is the client's minimum, if the client itself steps up to that.
    func ownFlow(of call: InstanceCall) -> StepUpOffer {
        let minimum = call.client.minimum.flatMap { self[$0] }.flatMap { $0.stepUp == call.client.name ? $0 : nil }
        return StepUpOffer(
            instance: call.instance.text, goal: minimum?.name ?? Self.signedIn, requirement: minimum)
    }
}

extension MetaRecord {
    /// The user of a provider session; nil when there is neither the session nor a token that came from it.
    func user(of sessionField: String) -> (issuer: String, subject: String)? {
        if let entry = tokens.first(where: { $0.sessionField == sessionField }) { return (entry.issuer, entry.subject) }
        return sessions.first { $0.field == sessionField }.map { ($0.issuer, $0.subject) }
    }

    /// The time of the earliest sign-in whose tokens come from a provider session, when it was stored; nil without such
    /// tokens.
    func firstSignIn(of sessionField: String) -> Timestamp? {
        tokens.filter { $0.sessionField == sessionField }.map(\.signedInAt).min()
    }
}
