import Basics

/// A machine of a world: its wall clock, which may be off, and how its tasks wait.
struct MachineTime: TimeSource {
    /// The wall clock of a world at its beginning: 2026-09-21T13:46:40Z.
    static let beginning = Timestamp(seconds: 1_789_998_400)

    let world: World
    /// How far the clock is off.
    let clock: MachineClock

    func now() -> Timestamp { Self.beginning + world.now + clock.skew }

    func sleep(for span: Duration) async throws {
        guard await world.passUnlessCancelled(max(span, .zero)) else { throw CancellationError() }
    }
}
