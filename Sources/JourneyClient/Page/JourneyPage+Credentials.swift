package import Orchestrate

extension JourneyPage {
    /// A question for a WebAuthn credential of the browser.
    package struct CredentialQuestion: Sendable {
        /// The id of the question on the page.
        package let id: String
        /// The WebAuthn request for the browser.
        package let request: WebAuthnRequest
        /// True if the page can be sent without an answer to this question; then its hidden value stays as received.
        package let mayStayOpen: Bool
    }

    /// The questions for WebAuthn credentials, in page order.
    ///
    /// A question may stay unanswered if passkeys are only offered beside another question, if a ConfirmationCallback
    /// of the page has an answer, or if the page is polled. Otherwise AM treats the unfilled value as a failure.
    package func credentialQuestions(answering answers: Answers = Answers()) -> [CredentialQuestion] {
        guard !parts.form.credentialQuestions.isEmpty else { return [] }
        let isLeft = callbacks.contains {
            ($0 is ConfirmationCallback && answers.values[$0.id] != nil)
                || ($0 is PollingWaitCallback && answers.action == $0.id)
        }
        return parts.form.credentialQuestions.map {
            CredentialQuestion(id: $0.id, request: $0.request, mayStayOpen: isLeft || $0.mayStayOpen)
        }
    }
}
