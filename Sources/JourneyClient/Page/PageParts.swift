internal import JSON
internal import Orchestrate

/// The parsed page that its node carries; copies of the page share it.
final class PageParts: ProductPage {
    /// The step as received.
    let step: JSONObject
    /// The form of the page: callbacks and questions.
    let form: PageForm

    init(_ step: JSONObject, _ form: PageForm) {
        self.step = step
        self.form = form
    }

    /// The callbacks as actions; mapped one by one, because converting the array would cast each dynamically.
    var actions: [any Action] { form.callbacks.map { $0 } }
    /// True if no action is closed after its answer and none changes the request; false if that is not known.
    var hasPlainActions: Bool { form.hasPlainActions }
}

/// The callbacks of a page, and the facts about them that are needed repeatedly, found once.
///
/// Steps with the same callbacks may share a form, so it contains no state of a flow.
final class PageForm: Sendable {
    /// The callbacks in page order, including callbacks that are never shown.
    let callbacks: [any JourneyCallback]
    /// True if no action is closed after its answer and none changes the request; false if that is not known.
    let hasPlainActions: Bool
    /// The id of each callback, by position.
    let ids: [String]
    /// By position, true if the callback is a question: it is shown, and no other question fills it.
    let isQuestion: [Bool]
    /// The callback that redirects the user to another site.
    let redirect: RedirectCallback?
    /// The callback that says that the journey is suspended until the user opens a link.
    let suspension: SuspendedTextOutputCallback?
    /// The callback that asks to wait.
    let polling: PollingWaitCallback?
    /// The questions for WebAuthn credentials, as on a page without answers.
    let credentialQuestions: [JourneyPage.CredentialQuestion]
    /// The questions as browsers see them, in a form that many steps share; nil if each page builds them itself.
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
            // Matched by the wire name, so that redirects are the same with every catalogue.
            if redirect == nil, raw.type == RedirectCallback.wireType { redirect = RedirectCallback(raw) }
            if suspension == nil, raw.type == SuspendedTextOutputCallback.wireType {
                suspension = SuspendedTextOutputCallback(raw)
            }
            // A cast is the most expensive step here, so only callbacks of the exact type are cast.
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
        // Parsed JSON keeps its text, so it is written without visiting its members.
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
