internal import Basics

extension CallbackPage {
    /// True if the page asks for a one-time code, by the words of its stage, which do not depend on the language.
    ///
    /// Such stages are `OneTimePassword`, `one-time`, `otp`, `HOTP` and `AuthenticatorOATH`. A stage that is JSON
    /// contains texts instead of words and is not read.
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

    /// The words of a name in lower case: runs of ASCII letters, split before a capital that begins a word.
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
