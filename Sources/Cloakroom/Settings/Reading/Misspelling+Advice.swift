internal import Basics

extension Misspelling {
    /// `; did you mean 'alpha'?`, or nothing when no known word is near.
    ///
    /// Only known words are repeated, never what was written, which may be secret.
    ///
    /// - Parameters:
    ///   - word: What was written.
    ///   - known: What could have been meant.
    /// - Returns: The end of a sentence.
    static func advice(on word: String, among known: [String]) -> String {
        nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
    }
}
