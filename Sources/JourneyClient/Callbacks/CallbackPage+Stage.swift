internal import Basics

extension CallbackPage {
    /// Whether a one-time code is asked for: a word of the stage says so, whatever the language of the prompts.
    ///
    /// `OneTimePassword`, `one-time`, `otp`, `HOTP` and `AuthenticatorOATH` do. A stage that is JSON has texts in place of words.
    var asksForCode: Bool {
        guard let stage, !stage.starts(withText: "{") else { return false }
        let words = Self.words(stage)
        return words.indices.contains { index in
            let word = words[index]
            return word.starts(withText: "otp") || word.ends(withText: "otp") || word.isSameText(as: "onetime")
                || word.isSameText(as: "oath")
                || word.isSameText(as: "time") && index > 0 && words[index - 1].isSameText(as: "one")
        }
    }

    /// The words of a name in small letters: runs of ASCII letters, each up to a capital that begins the next word.
    private static func words(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        func isCapital(_ index: Int) -> Bool { bytes.indices.contains(index) && 0x41...0x5A ~= bytes[index] }
        func isSmall(_ index: Int) -> Bool { bytes.indices.contains(index) && 0x61...0x7A ~= bytes[index] }
        var words = [""]
        for index in bytes.indices {
            if isCapital(index) && (isSmall(index - 1) || isSmall(index + 1)) { words.append("") }
            guard isCapital(index) || isSmall(index) else {
                words.append("")
                continue
            }
            words[words.count - 1].unicodeScalars.append(Unicode.Scalar(bytes[index] | 0x20))
        }
        return words.filter { !$0.isEmpty }
    }
}
