internal import Basics

/// The text that stands for a step of a flow where Ping's protocols have a token: the flow and the number of the step.
///
/// It opens nothing without the cookie of the flow's session, and a step is answered once.
package struct StepHandle: Sendable, Equatable {
    /// The id of the flow.
    package let flow: String
    /// The step, from 1.
    package let step: Int

    /// Names a step of a flow.
    package init(flow: String, step: Int) {
        self.flow = flow
        self.step = step
    }

    /// Reads the handle of a challenge: the instance and the step, since the path of a challenge names neither.
    package static func challenge(_ text: String) -> (instance: String, handle: StepHandle)? {
        let parts = text.split(byte: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 3 * longest, parts.count >= 3,
            let handle = StepHandle(parts.suffix(2).joined(separator: "."))
        else { return nil }
        return (parts.dropLast(2).joined(separator: "."), handle)
    }

    /// The handle of a challenge of an instance, as text.
    package func challenge(of instance: String) -> String { "\(instance).\(text)" }

    /// The greatest length of a handle, in bytes.
    package static let longest = 128

    /// Reads a handle; nil for any other text.
    package init?(_ text: String) {
        let halves = text.split(byte: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.longest, halves.count == 2, !halves[0].isEmpty, let step = Int(halves[1]),
            step > 0, String(step) == String(halves[1])
        else { return nil }
        self.init(flow: String(halves[0]), step: step)
    }

    /// The handle as text.
    package var text: String { "\(flow).\(step)" }
}
