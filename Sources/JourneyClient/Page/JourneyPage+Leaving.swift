extension JourneyPage {
    /// What sends the user to another site; nil for a page that does not.
    public var redirect: RedirectCallback? { parts.form.redirect }

    /// What says that the journey waits for a link to be opened; nil for a page that does not.
    public var suspension: SuspendedTextOutputCallback? { parts.form.suspension }

    /// What asks to wait before the page goes back; nil for a page that does not.
    package var polling: PollingWaitCallback? { parts.form.polling }
}
