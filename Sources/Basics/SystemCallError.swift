/// The system has no thread or no descriptor left for this process.
package struct SystemCallError: Error {
    /// The value of errno that the call left.
    package let code: Int32
}
