/// Finds the word that a misspelt word probably stands for.
package enum Misspelling {
    /// The known word within two slips (a letter too many, missing, wrong, or two exchanged), nil when none is near.
    ///
    /// Words of up to four letters may have one slip. Case is no slip.
    ///
    /// - Parameters:
    ///   - word: What was written.
    ///   - known: What could have been meant; of several that are as near, the first is taken.
    /// - Returns: One of `known`.
    package static func nearest(to word: String, among known: [String]) -> String? {
        let limit = word.count <= 4 ? 1 : 2
        let ranked = known.map { (word: $0, slips: slips(Array(word.lowercased()), Array($0.lowercased()))) }
        return ranked.filter { $0.slips <= limit }.min { $0.slips < $1.slips }?.word
    }

    /// The optimal string alignment distance.
    private static func slips(_ one: [Character], _ two: [Character]) -> Int {
        guard abs(one.count - two.count) <= 2 else { return .max }
        var rows = [Array(0...two.count)]
        for i in 0..<one.count {
            var row = [i + 1]
            for j in 0..<two.count {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == two[j] ? 0 : 1))
                if i > 0, j > 0, one[i] == two[j - 1], one[i - 1] == two[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][two.count]
    }
}
