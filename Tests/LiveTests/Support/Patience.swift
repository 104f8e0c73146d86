/// Asks again until an answer is right, for what happens in another process in its own time.
///
/// - Returns: Whether it ever was.
func eventually(
    within patience: Duration = .seconds(20), every pause: Duration = .milliseconds(200),
    _ isRight: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + patience
    while true {
        if try await isRight() { return true }
        if ContinuousClock.now >= end { return false }
        try await Task.sleep(for: pause)
    }
}
