import Basics
import ResourceServer

extension Requirements {
    /// The goal of a start that only has to have the user sign in anew; no requirement of the settings has this name.
    static let signedIn = "signed-in"

    /// What to start where the provider finds the user too weakly signed in for a client: the client's own flow, which
    /// asks the user anew whatever session there is; for its minimum where it steps up to that.
    func ownFlow(of call: InstanceCall) -> StepUpOffer {
        let minimum = call.client.minimum.flatMap { self[$0] }.flatMap { $0.stepUp == call.client.name ? $0 : nil }
        return StepUpOffer(
            instance: call.instance.text, goal: minimum?.name ?? Self.signedIn, requirement: minimum)
    }
}

extension MetaRecord {
    /// Whom a provider session is of; nil when there is none, nor tokens that came from it.
    func user(of sessionField: String) -> (issuer: String, subject: String)? {
        if let entry = tokens.first(where: { $0.sessionField == sessionField }) { return (entry.issuer, entry.subject) }
        return sessions.first { $0.field == sessionField }.map { ($0.issuer, $0.subject) }
    }

    /// When the first of the sign-ins was stored whose tokens come from a provider session; nil when there are none.
    func firstSignIn(of sessionField: String) -> Timestamp? {
        tokens.filter { $0.sessionField == sessionField }.map(\.signedInAt).min()
    }
}
