extension Logger {
    /// The message of a line: a constant sentence, written as a string literal.
    ///
    /// Interpolation renders as in any string, so that secrets stay `<secret>`; but put values into metadata, where
    /// they can be searched for.
    public struct Message: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
        /// The text of the message.
        public let description: String

        /// A message from a literal.
        public init(stringLiteral text: String) {
            description = text
        }
    }
}
