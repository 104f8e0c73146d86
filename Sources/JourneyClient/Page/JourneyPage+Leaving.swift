extension JourneyPage {
    /// The callback that redirects the user to another site; nil if the page has none.
    public var redirect: RedirectCallback? { parts.form.redirect }

    /// The callback that says that the journey is suspended until the user opens a link; nil if the page has none.
    public var suspension: SuspendedTextOutputCallback? { parts.form.suspension }

    /// The callback that asks to wait before the page is sent back; nil if the page has none.
    package var polling: PollingWaitCallback? { parts.form.polling }
}
