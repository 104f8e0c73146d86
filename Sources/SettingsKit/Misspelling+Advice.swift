package import Basics

extension Misspelling {
    /// `; did you mean 'alpha'?`, or nothing when no known word is near.
    ///
    /// It repeats only known words, never the written word, which may be secret.
    ///
    /// - Parameters:
    ///   - word: The written word.
    ///   - known: The known words.
    /// - Returns: The end of a sentence.
    package static func advice(on word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }
}
