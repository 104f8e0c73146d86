/// The system has no thread or no descriptor left for this process.
package struct SystemRefusal: Error {
    /// The errno.
    package let code: Int32
}
