/// The name that a user typed to sign in.
package enum UserName {
    /// The name as it is counted and compared: in lower case and without white space, as providers may read it.
    ///
    /// - Parameter name: The name as it was typed.
    /// - Returns: UTF-8; equal for spellings that a provider may take for one user.
    package static func folded(_ name: String) -> [UInt8] {
        let scalars = name.lowercased().unicodeScalars.filter { !$0.properties.isWhitespace }
        return scalars.flatMap { Array(String($0).utf8) }
    }
}
