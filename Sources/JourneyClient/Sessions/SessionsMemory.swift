internal import Basics

/// Which forms of the sessions endpoint one AM takes, learnt from its answers.
///
/// Clients of the same AM may share one, so that each form that it does not know is tried once in a process.
package final class SessionsMemory: Sendable {
    private let taken = Locked<[SessionsPurpose: SessionsForm]>([:])

    /// Makes a memory that knows nothing yet.
    package init() {}

    /// All forms for a purpose, the one that was taken last in front.
    func forms(_ purpose: SessionsPurpose) -> [SessionsForm] {
        guard let form = taken.withLock({ $0[purpose] }) else { return purpose.forms }
        return [form] + purpose.forms.filter { $0 != form }
    }

    func remember(_ form: SessionsForm, _ purpose: SessionsPurpose) {
        taken.withLock { $0[purpose] = form }
    }
}
