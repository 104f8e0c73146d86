import Logs
import OpenIDConnect

extension Environment {
    /// The line for whoever has to act on a provider's refusal; none for what passes by itself or concerns the user alone.
    func logRefusal(_ failure: TokenError, _ message: Logger.Message, _ call: InstanceCall) {
        guard let check = failure.check else { return }
        log(call.context).error(
            message, metadata: Logger.Metadata(client: call.client.name, check: check, failure.mismatch))
    }
}

extension Logger.Metadata {
    /// What of an answer was refused; where that may be told, what it should have been and what it was.
    init(client: String, check: String, _ mismatch: Mismatch?) {
        self = ["check": .string(check), "client": .string(client)]
        if let mismatch {
            self["expected"] = .string(mismatch.expected)
            self["found"] = .string(mismatch.found)
        }
    }
}
