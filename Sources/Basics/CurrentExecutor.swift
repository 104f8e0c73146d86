/// The place where the current task runs, for tasks that carry its work on without being its children.
package enum CurrentExecutor {
    /// The executor that the current task prefers; nil without a task or a preference.
    ///
    /// A `Task {}` does not inherit it, so work that a request waits for would leave the request's event thread.
    package static var preference: (any TaskExecutor)? {
        withUnsafeCurrentTask { task in task?.unownedTaskExecutor?.asTaskExecutor() }
    }
}
