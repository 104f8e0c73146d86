import Logs
import OpenIDConnect

extension Environment {
    /// Logs a provider's refusal that an operator has to act on; logs nothing that passes by itself or concerns the
    /// user alone.
    func logRefusal(_ failure: TokenError, _ message: Logger.Message, _ call: InstanceCall) {
        guard let check = failure.check else { return }
        log(call.context).error(
            message, metadata: Logger.Metadata(client: call.client.name, check: check, failure.mismatch))
    }
}

extension Logger.Metadata {
    /// The metadata of a failed check: its name, and where they may be logged, the expected and the found value.
    init(client: String, check: String, _ mismatch: Mismatch?) {
        self = ["check": .string(check), "client": .string(client)]
        if let mismatch {
            self["expected"] = .string(mismatch.expected)
            self["found"] = .string(mismatch.found)
        }
    }
}
