internal import HTTPCodec
internal import HTTPCore

extension ExchangeError {
    /// Restates the refusal of an answer.
    init(_ refusal: HTTPCodecError) {
        switch refusal {
        case .closedBeforeAnswer, .closedInHead, .closedInBody, .closedUncleanly:
            self = .closed
        case .headTooLarge, .tooManyFields, .tooManyInterim, .chunkExtensionsTooLarge, .bodyTooLarge:
            self = .tooLarge
        case .bytesWithoutRequest, .answerBeforeRequest, .bytesAfterAnswer, .statusLine, .version, .status, .reason,
            .switchedProtocols, .bareLineFeed, .bareCarriageReturn, .foldedLine, .missingColon, .blankBeforeColon,
            .fieldName, .fieldValue, .contentLength, .contentLengthsDiffer, .bothLengths, .transferEncodingVersion,
            .transferCoding, .chunkedNotLast, .chunkedTwice, .chunkSize, .chunkExtension, .chunkEnd:
            self = .malformed
        }
    }
}

extension HTTPFields {
    /// Makes fields of the lines of a head.
    ///
    /// - Throws: `.malformed` for a name that is longer than any that is accepted.
    init(_ head: ResponseHead) throws(ExchangeError) {
        self.init()
        var isValid = true
        head.forEachLine { name, value in
            do {
                append(try HTTPField(HTTPField.Name(checking: name), checking: value))
            } catch {
                isValid = false
            }
        }
        guard isValid else { throw .malformed }
    }
}
