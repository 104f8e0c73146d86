/// The check that an answer failed; after any of them the connection is never used again.
///
/// The cases follow the order of an answer. Each names its clause; none carries bytes of the answer, which may be secret.
package enum HTTPCodecError: String, Error, Sendable, Equatable, CaseIterable {
    /// Bytes arrived on a connection on which no request was begun (RFC 9112 section 9.2).
    case bytesWithoutRequest = "bytes-without-request"
    /// An answer began before the request was written completely (RFC 9112 section 9.5): a connection whose request
    /// ends early, or is not read, cannot tell the next answer from this one.
    case answerBeforeRequest = "answer-before-request"
    /// Bytes followed a complete answer (RFC 9112 sections 6.3 and 9.2); the answer itself is whole.
    case bytesAfterAnswer = "bytes-after-answer"

    /// The first line does not begin with `HTTP/`, or has no blank after the version (RFC 9112 section 4).
    case statusLine = "status-line"
    /// The version is neither HTTP/1.0 nor HTTP/1.1 (RFC 9112 section 2.3).
    case version
    /// The status is not three digits from 100 to 599, or no blank follows them (RFC 9110 section 15).
    case status
    /// The status line holds a control character, in the reason phrase or before it (RFC 9112 section 4).
    case reason
    /// The peer switched to a protocol that was not asked for (RFC 9110 section 15.2.2).
    case switchedProtocols = "switched-protocols"
    /// More interim answers came than `ResponseLimits.interimAnswers` (RFC 9110 section 15.2).
    case tooManyInterim = "too-many-interim"

    /// A line ends with LF alone (RFC 9112 section 2.2 allows reading it; proxies differ in that).
    case bareLineFeed = "bare-line-feed"
    /// A CR is not followed by LF (RFC 9112 section 2.2).
    case bareCarriageReturn = "bare-carriage-return"
    /// A line begins with a blank or a tab: a folded value, or a blank after the first line (RFC 9112 sections 2.2 and
    /// 5.2).
    case foldedLine = "folded-line"
    /// A field line has no colon (RFC 9112 section 5).
    case missingColon = "missing-colon"
    /// A blank or a tab stands within a field name or before its colon (RFC 9112 section 5.1).
    case blankBeforeColon = "blank-before-colon"
    /// A field name is empty or holds a byte that no token can have (RFC 9110 sections 5.1 and 5.6.2).
    case fieldName = "field-name"
    /// A field value holds a control character (RFC 9110 section 5.5).
    case fieldValue = "field-value"
    /// Status lines, field lines and trailers are longer than `ResponseLimits.headBytes` (RFC 9110 section 5.4).
    case headTooLarge = "head-too-large"
    /// There are more field lines and trailers than `ResponseLimits.fieldLines` (RFC 9110 section 5.4).
    case tooManyFields = "too-many-fields"

    /// A `Content-Length` is not 1 to 18 digits: a sign, a blank, a list, nothing (RFC 9110 section 8.6, RFC 9112
    /// section 6.3 item 5).
    case contentLength = "content-length"
    /// Two `Content-Length` fields differ (RFC 9112 section 6.3 item 5).
    case contentLengthsDiffer = "content-lengths-differ"
    /// `Content-Length` and `Transfer-Encoding` are both there (RFC 9112 section 6.3 item 3).
    case bothLengths = "both-lengths"
    /// An answer of HTTP/1.0 has a `Transfer-Encoding` (RFC 9112 section 6.1).
    case transferEncodingVersion = "transfer-encoding-version"
    /// A transfer coding is not `chunked`, which alone is understood (RFC 9112 sections 6.1 and 7).
    case transferCoding = "transfer-coding"
    /// Another coding follows `chunked` (RFC 9112 section 6.1).
    case chunkedNotLast = "chunked-not-last"
    /// `chunked` is there twice (RFC 9112 section 6.1).
    case chunkedTwice = "chunked-twice"

    /// A chunk's size is not 1 to 15 hexadecimal digits, followed by `;` or the end of the line (RFC 9112 section 7.1).
    case chunkSize = "chunk-size"
    /// A chunk extension holds a control character (RFC 9112 section 7.1.1).
    case chunkExtension = "chunk-extension"
    /// The chunk extensions of an answer are longer than `ResponseLimits.chunkExtensionBytes` (RFC 9112 section 7.1.1).
    case chunkExtensionsTooLarge = "chunk-extensions-too-large"
    /// No CR LF follows the data of a chunk (RFC 9112 section 7.1).
    case chunkEnd = "chunk-end"
    /// The body is longer than `ResponseLimits.bodyBytes` (RFC 9110 section 15.5.14 is a server's word for it).
    case bodyTooLarge = "body-too-large"

    /// The connection ended before the first byte of an answer (RFC 9112 section 9.5).
    ///
    /// On a kept connection the peer may not have read the request, so that a safe one can be sent again.
    case closedBeforeAnswer = "closed-before-answer"
    /// The connection ended within a head, or after an interim answer (RFC 9112 section 8).
    case closedInHead = "closed-in-head"
    /// The connection ended before the end of a body whose length is known, or of a chunked one (RFC 9112 section 8).
    case closedInBody = "closed-in-body"
    /// A body that the end of the connection delimits ended without the peer's word that it is the end, such as
    /// `close_notify` of TLS (RFC 9112 sections 8 and 9.8).
    case closedUncleanly = "closed-uncleanly"
}
