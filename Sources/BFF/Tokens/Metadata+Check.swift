import Logs
import OpenIDConnect

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
