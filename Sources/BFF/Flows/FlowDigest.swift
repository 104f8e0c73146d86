import Basics
import Cryptography

/// A flow's id as lines of the log and the audit write it: equal flows have equal digests, and none leads to an id.
///
/// The id itself is a capability, with which whoever has the session's cookie can answer the flow. Lines take this type
/// alone, so that none of them is given the id.
struct FlowDigest: Sendable, Equatable {
    /// The first nine bytes of the id's SHA-256, in base64url: 12 characters.
    let text: String

    /// The digest of an id, which has 128 random bits: nobody finds it by trying.
    init(of id: String) {
        text = Base64URL.encode(Digest.hash(utf8: id).prefix(9))
    }
}
