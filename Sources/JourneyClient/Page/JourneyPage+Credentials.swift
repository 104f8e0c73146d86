package import Orchestrate

extension JourneyPage {
    /// A question for a credential of the browser.
    package struct CredentialQuestion: Sendable {
        /// Its id on the page.
        package let id: String
        /// What is wished for.
        package let request: WebAuthnRequest
        /// Whether the page goes back without an answer to it: what it fills may stay as it came.
        package let mayStayOpen: Bool
    }

    /// The questions for credentials of the browser, in page order.
    ///
    /// One may stay open where passkeys are only offered beside something else, where a ConfirmationCallback of the page
    /// has an answer, and where the page is polled; else AM takes the value that nobody filled for a failure.
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
