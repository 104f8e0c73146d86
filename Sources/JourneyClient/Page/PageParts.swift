internal import JSON
internal import Orchestrate

/// A page as its node carries it along; copies of the page share it.
final class PageParts: ProductPage {
    /// The step as received.
    let step: JSONObject
    /// What the step shows and asks.
    let form: PageForm

    init(_ step: JSONObject, _ form: PageForm) {
        self.step = step
        self.form = form
    }

    /// The callbacks as actions; one by one, as the conversion of the array would cast each.
    var actions: [any Action] { form.callbacks.map { $0 } }
    /// Whether none of them is closed after its answer, or changes the request with it.
    var hasPlainActions: Bool { form.hasPlainActions }
}

/// What a page shows and asks, and what is looked for in it again and again, found out once.
///
/// Steps with the same callbacks may share it, so it knows nothing of the flow.
final class PageForm: Sendable {
    /// The callbacks in page order, also those that are never shown.
    let callbacks: [any JourneyCallback]
    /// Whether none of them is closed after its answer, or changes the request with it.
    let hasPlainActions: Bool
    /// By position the id of each.
    let ids: [String]
    /// By position whether each is a question: not one that is never shown, nor one that another question fills.
    let isQuestion: [Bool]
    /// What sends the user to another site.
    let redirect: RedirectCallback?
    /// What says that the journey waits for a link to be opened.
    let suspension: SuspendedTextOutputCallback?
    /// What asks to wait.
    let polling: PollingWaitCallback?
    /// The questions for credentials of the browser, of a page without answers.
    let credentialQuestions: [JourneyPage.CredentialQuestion]
    /// The questions as browsers see them, of a form that many steps share; nil where each makes them for itself.
    let documents: [(id: String, JSONObject)]?

    init(_ callbacks: [any JourneyCallback], hasPlainActions: Bool = false, isShared: Bool = false) {
        let filledByOthers = Set(callbacks.flatMap(\.filledSiblings))
        var (ids, isQuestion): ([String], [Bool]) = ([], [])
        ids.reserveCapacity(callbacks.count)
        isQuestion.reserveCapacity(callbacks.count)
        var redirect: RedirectCallback?
        var suspension: SuspendedTextOutputCallback?
        var polling: PollingWaitCallback?
        var credentialQuestions: [JourneyPage.CredentialQuestion] = []
        for callback in callbacks {
            let raw = callback.raw
            let isAsked = callback.isShown && !filledByOthers.contains(raw.index)
            ids.append(raw.id)
            isQuestion.append(isAsked)
            // By the name on the wire: what catalogue a client has makes no difference to where it lets users go.
            if redirect == nil, raw.type == RedirectCallback.wireType { redirect = RedirectCallback(raw) }
            if suspension == nil, raw.type == SuspendedTextOutputCallback.wireType {
                suspension = SuspendedTextOutputCallback(raw)
            }
            // A cast costs more than all of this: only what has the type is cast.
            let type = Swift.type(of: callback)
            if type == PollingWaitCallback.self, polling == nil { polling = callback as? PollingWaitCallback }
            let request: WebAuthnRequest? =
                if type == MetadataCallback.self {
                    (callback as? MetadataCallback)?.webAuthn
                } else if type == TextOutputCallback.self {
                    (callback as? TextOutputCallback)?.webAuthn
                } else {
                    nil
                }
            if isAsked, let request {
                credentialQuestions.append(
                    JourneyPage.CredentialQuestion(id: raw.id, request: request, mayStayOpen: request.isConditional))
            }
        }
        self.callbacks = callbacks
        self.hasPlainActions = hasPlainActions
        self.ids = ids
        self.isQuestion = isQuestion
        self.redirect = redirect
        self.suspension = suspension
        self.polling = polling
        self.credentialQuestions = credentialQuestions
        // Parsed again they are written as they are, without a look at what they consist of.
        documents =
            isShared
            ? Self.documents(callbacks, isQuestion).map {
                ($0.id, (try? JSONValue(parsing: $0.1.serialized()))?.object ?? $0.1)
            } : nil
    }

    /// The questions among callbacks with their ids, as browsers see them.
    static func documents(
        _ callbacks: [any JourneyCallback], _ isQuestion: [Bool]
    ) -> [(id: String, JSONObject)] {
        zip(callbacks, isQuestion).compactMap { $1 ? ($0.id, JourneyQuestion($0).document) : nil }
    }
}
