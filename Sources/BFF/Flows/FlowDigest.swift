import Basics
import Cryptography

/// A digest of a flow's id for the log and the audit: equal flows have equal digests, and no digest leads back to an
/// id.
///
/// The id itself is a capability: a client with the session's cookie and the id can answer the flow. Functions that
/// write log and audit lines take this type alone, so that no line contains the id.
struct FlowDigest: Sendable, Equatable {
    /// The first nine bytes of the id's SHA-256, in base64url: 12 characters.
    let text: String

    /// Makes the digest of an id; the id has 128 random bits, so that no search through ids finds it.
    init(of id: String) {
        text = Base64URL.encode(Digest.hash(utf8: id).prefix(9))
    }
}
