import Basics

/// Words about a browser and its system, read from `User-Agent` for the list of a user's sessions.
///
/// They come from closed sets, so that no text that a browser chose is ever shown or stored. The field is a hint: it
/// says what the browser calls itself.
enum DeviceWords {
    /// Browsers by a word of the field, most special first: most browsers also name those that they descend from.
    private static let browsers: [(String, String)] = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"), ("Safari/", "Safari"), ("curl/", "curl"),
    ]
    /// Systems by a word of the field, most special first.
    private static let systems: [(String, String)] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]

    /// The words, such as `Firefox on Linux`; empty if nothing is recognised.
    static func words(_ userAgent: String?) -> String {
        // A longer field is no browser's, and would take time to search.
        guard let userAgent, userAgent.utf8.count <= 1024 else { return "" }
        let browser = first(browsers, in: userAgent)
        let system = first(systems, in: userAgent)
        if let browser, let system { return "\(browser) on \(system)" }
        return browser ?? system ?? ""
    }

    private static func first(_ words: [(String, String)], in text: String) -> String? {
        words.first { word, _ in text.utf8Contains(word) }?.1
    }
}

extension String {
    /// True if the text has the bytes of a word.
    fileprivate func utf8Contains(_ word: String) -> Bool {
        let text = Array(utf8)
        let word = Array(word.utf8)
        guard text.count >= word.count else { return false }
        return (0...text.count - word.count).contains { text[$0..<$0 + word.count].elementsEqual(word) }
    }
}
