internal import Basics

/// The forms of the sessions endpoint that one AM accepts, learnt from its answers.
///
/// Clients of the same AM may share a memory, so that each form that AM rejects is tried once per process.
package final class SessionsMemory: Sendable {
    private let taken = Locked<[SessionsPurpose: SessionsForm]>([:])

    /// Makes an empty memory.
    package init() {}

    /// All forms for a purpose; the form that AM accepted last comes first.
    func forms(_ purpose: SessionsPurpose) -> [SessionsForm] {
        guard let form = taken.withLock({ $0[purpose] }) else { return purpose.forms }
        return [form] + purpose.forms.filter { $0 != form }
    }

    func remember(_ form: SessionsForm, _ purpose: SessionsPurpose) {
        taken.withLock { $0[purpose] = form }
    }
}
