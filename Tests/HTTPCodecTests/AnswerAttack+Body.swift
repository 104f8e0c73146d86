import HTTPCodec
import HTTPCore

extension AnswerAttack {
    static let chunks: [AnswerAttack] = [
        AnswerAttack("a size with 0x", "RFC 9112 7.1", .chunkSize, chunks: "0x5\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("a size with a sign", "RFC 9112 7.1", .chunkSize, chunks: "-5\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("a blank before the size", "RFC 9112 7.1", .chunkSize, chunks: " 5\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("a blank after the size", "RFC 9112 7.1", .chunkSize, chunks: "5 \r\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "a blank before the extension", "RFC 9112 7.1.1", .chunkSize, chunks: "5 ;a\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("no size", "RFC 9112 7.1", .chunkSize, chunks: "\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("an extension alone", "RFC 9112 7.1", .chunkSize, chunks: ";a=b\r\n\r\n"),
        AnswerAttack("a letter behind f", "RFC 9112 7.1", .chunkSize, chunks: "g\r\n\r\n"),
        AnswerAttack(
            "a size of sixteen digits", "RFC 9112 7.1", .chunkSize, chunks: "0000000000000005\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "a size that overflows to five", "RFC 9112 7.1", .chunkSize,
            chunks: "10000000000000005\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("a size's line that ends with LF", "RFC 9112 2.2", .bareLineFeed, chunks: "5\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "a size's line that ends with CR", "RFC 9112 2.2", .bareCarriageReturn, chunks: "5\rhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "an extension that ends with LF", "RFC 9112 7.1.1", .bareLineFeed, chunks: "5;a\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "an extension that ends with CR", "RFC 9112 7.1.1", .bareCarriageReturn, chunks: "5;a\rb\r\nhello\r\n"),
        AnswerAttack("a NUL in an extension", "RFC 9112 7.1.1", .chunkExtension, chunks: "5;a\0\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "a DEL in an extension", "RFC 9112 7.1.1", .chunkExtension, chunks: "5;a=\"\u{7F}\"\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack("data longer than its size", "RFC 9112 7.1", .chunkEnd, chunks: "4\r\nhello\r\n0\r\n\r\n"),
        AnswerAttack(
            "data that ends with another byte and LF", "RFC 9112 7.1", .chunkEnd, chunks: "5\r\nhello!\n0\r\n\r\n"),
        AnswerAttack("data that ends with LF", "RFC 9112 7.1", .chunkEnd, chunks: "5\r\nhello\n0\r\n\r\n"),
        AnswerAttack("data that ends with CR alone", "RFC 9112 7.1", .chunkEnd, chunks: "5\r\nhello\r0\r\n\r\n"),
        AnswerAttack("a folded trailer", "RFC 9112 7.1.2", .foldedLine, chunks: "0\r\nA: b\r\n c\r\n\r\n"),
        AnswerAttack(
            "a trailer with a blank before its colon", "RFC 9112 7.1.2", .blankBeforeColon, chunks: "0\r\nA : b\r\n\r\n"
        ),
        AnswerAttack("a trailer without a colon", "RFC 9112 7.1.2", .missingColon, chunks: "0\r\nA\r\n\r\n"),
        AnswerAttack("a trailer without a name", "RFC 9112 7.1.2", .fieldName, chunks: "0\r\n: b\r\n\r\n"),
        AnswerAttack("a trailer with a NUL", "RFC 9112 7.1.2", .fieldValue, chunks: "0\r\nA: \0\r\n\r\n"),
        AnswerAttack("trailers that end with LF", "RFC 9112 7.1.2", .bareLineFeed, chunks: "0\r\n\n"),
        AnswerAttack(
            "an answer in place of the trailers", "RFC 9112 7.1.2", .fieldName, chunks: "0\r\nHTTP/1.1 200 OK\r\n\r\n"),
    ]

    static let order: [AnswerAttack] = [
        AnswerAttack("an answer before any request", "RFC 9112 9.2", .bytesWithoutRequest, "HTTP/1.1 200 OK\r\n\r\n") {
            $0.asked = .nothing
        },
        AnswerAttack("a byte before any request", "RFC 9112 9.2", .bytesWithoutRequest, "\n") { $0.asked = .nothing },
        AnswerAttack(
            "an answer to half a request", "RFC 9112 9.5", .answerBeforeRequest,
            "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"
        ) { $0.asked = .partly },
        AnswerAttack(
            "a second answer after an empty one", "RFC 9112 9.2", .bytesAfterAnswer,
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", answered: 200),
        AnswerAttack(
            "a body longer than its length", "RFC 9112 6.3", .bytesAfterAnswer,
            "HTTP/1.1 201 OK\r\nContent-Length: 5\r\n\r\nhello!", answered: 201),
        AnswerAttack(
            "a line end after a body", "RFC 9112 2.2", .bytesAfterAnswer,
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}\r\n", answered: 200),
        AnswerAttack(
            "bytes after the trailers", "RFC 9112 7.1", .bytesAfterAnswer,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\nC", answered: 200),
        AnswerAttack(
            "a body to HEAD", "RFC 9112 6.3", .bytesAfterAnswer,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", answered: 200
        ) { $0.method = .head },
        AnswerAttack(
            "a body after 204", "RFC 9112 6.3", .bytesAfterAnswer,
            "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\nhello", answered: 204),
        AnswerAttack(
            "chunks after 304", "RFC 9112 6.3", .bytesAfterAnswer,
            "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", answered: 304),
        AnswerAttack(
            "bytes after an answer, and the end", "RFC 9112 9.2", .bytesAfterAnswer,
            "HTTP/1.1 204 No\r\n\r\n\0", answered: 204
        ) { $0.ending = .clean },
    ]

    static let ends: [AnswerAttack] = [
        AnswerAttack("the end before a byte", "RFC 9112 9.5", .closedBeforeAnswer, "") { $0.ending = .clean },
        AnswerAttack("the end while a request is written", "RFC 9112 9.5", .closedBeforeAnswer, "") {
            ($0.asked, $0.ending) = (.partly, .unclean)
        },
        AnswerAttack("the end before a request", "RFC 9112 9.5", .closedBeforeAnswer, "") {
            ($0.asked, $0.ending) = (.nothing, .clean)
        },
        AnswerAttack("the end after a byte", "RFC 9112 8", .closedInHead, "H") { $0.ending = .clean },
        AnswerAttack("the end within a head", "RFC 9112 8", .closedInHead, "HTTP/1.1 200 OK\r\nA: b\r\n") {
            $0.ending = .clean
        },
        AnswerAttack("the end before the last LF of a head", "RFC 9112 8", .closedInHead, "HTTP/1.1 200 OK\r\n\r") {
            $0.ending = .unclean
        },
        AnswerAttack("the end after an interim answer", "RFC 9112 8", .closedInHead, "HTTP/1.1 100 Go on\r\n\r\n") {
            $0.ending = .clean
        },
        AnswerAttack(
            "the end before a body", "RFC 9112 8", .closedInBody, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
        ) { $0.ending = .clean },
        AnswerAttack(
            "the end before the last byte of a body", "RFC 9112 8", .closedInBody,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell"
        ) { $0.ending = .clean },
        AnswerAttack("the end before a chunk", "RFC 9112 8", .closedInBody, chunks: "") { $0.ending = .clean },
        AnswerAttack("the end within a chunk", "RFC 9112 8", .closedInBody, chunks: "5\r\nhell") { $0.ending = .clean },
        AnswerAttack("the end before the last chunk", "RFC 9112 8", .closedInBody, chunks: "5\r\nhello\r\n") {
            $0.ending = .clean
        },
        AnswerAttack("the end after the last chunk's line", "RFC 9112 8", .closedInBody, chunks: "0\r\n") {
            $0.ending = .clean
        },
        AnswerAttack("the end within trailers", "RFC 9112 8", .closedInBody, chunks: "0\r\nA: b\r\n\r") {
            $0.ending = .unclean
        },
        AnswerAttack(
            "a cut connection that delimits a body", "RFC 9112 9.8", .closedUncleanly, "HTTP/1.1 200 OK\r\n\r\nhalf"
        ) { $0.ending = .unclean },
        AnswerAttack(
            "a cut connection that delimits an empty body", "RFC 9112 9.8", .closedUncleanly, "HTTP/1.0 200 OK\r\n\r\n"
        ) { $0.ending = .unclean },
    ]

    static let limits: [AnswerAttack] = [
        AnswerAttack(
            "a head that is a byte too long", "RFC 9110 5.4", .headTooLarge, "HTTP/1.1 200 OK\r\nA: bcdef\r\n\r\n"
        ) { $0.limits.headBytes = $0.bytes.count - 1 },
        AnswerAttack("a status line without end", "RFC 9110 5.4", .headTooLarge, "HTTP/1.1 200 " + long) {
            $0.limits.headBytes = 64
        },
        AnswerAttack("a name without end", "RFC 9110 5.4", .headTooLarge, "HTTP/1.1 200 OK\r\n" + long) {
            $0.limits.headBytes = 64
        },
        AnswerAttack("a value without end", "RFC 9110 5.4", .headTooLarge, "HTTP/1.1 200 OK\r\nA: " + long) {
            $0.limits.headBytes = 64
        },
        AnswerAttack(
            "interim answers that use up the room", "RFC 9110 5.4", .headTooLarge,
            String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 3)
        ) { $0.limits.headBytes = 80 },
        AnswerAttack(
            "an interim answer that leaves no room", "RFC 9110 5.4", .headTooLarge,
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n"
        ) { $0.limits.headBytes = 28 },
        AnswerAttack("trailers without end", "RFC 9110 5.4", .headTooLarge, chunks: "0\r\nA: " + long) {
            $0.limits.headBytes = 100
        },
        AnswerAttack(
            "a field too many", "RFC 9110 5.4", .tooManyFields, "HTTP/1.1 200 OK\r\nA: b\r\nA: b\r\nA: b\r\n\r\n"
        ) { $0.limits.fieldLines = 2 },
        AnswerAttack("a trailer too many", "RFC 9110 5.4", .tooManyFields, chunks: "0\r\nA: b\r\nA: b\r\n\r\n") {
            $0.limits.fieldLines = 2
        },
        AnswerAttack(
            "a field too many after an interim answer", "RFC 9110 5.4", .tooManyFields,
            "HTTP/1.1 103 Hints\r\nA: b\r\n\r\nHTTP/1.1 204 No\r\nA: b\r\n\r\n"
        ) { $0.limits.fieldLines = 1 },
        AnswerAttack(
            "an interim answer too many", "RFC 9110 15.2", .tooManyInterim,
            "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n"
        ) { $0.limits.interimAnswers = 2 },
        AnswerAttack(
            "an announced body that is too long", "RFC 9110 8.6", .bodyTooLarge,
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
        ) { $0.limits.bodyBytes = 5 },
        AnswerAttack(
            "the longest length that can be written", "RFC 9110 8.6", .bodyTooLarge,
            "HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\n"),
        AnswerAttack(
            "chunks that are too long together", "RFC 9112 7.1", .bodyTooLarge,
            chunks: "3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n"
        ) {
            $0.limits.bodyBytes = 5
        },
        AnswerAttack(
            "the largest chunk that can be written", "RFC 9112 7.1", .bodyTooLarge, chunks: "fffffffffffffff\r\na"),
        AnswerAttack(
            "a body without a length that is too long", "RFC 9112 6.3", .bodyTooLarge, "HTTP/1.1 200 OK\r\n\r\nabcdef"
        ) {
            ($0.limits.bodyBytes, $0.ending) = (5, .clean)
        },
        AnswerAttack(
            "an extension that is too long", "RFC 9112 7.1.1", .chunkExtensionsTooLarge, chunks: "1;abcdef\r\na\r\n"
        ) {
            $0.limits.chunkExtensionBytes = 5
        },
        AnswerAttack(
            "extensions that are too long together", "RFC 9112 7.1.1", .chunkExtensionsTooLarge,
            chunks: "1;abc\r\na\r\n1;abc\r\na\r\n0\r\n\r\n"
        ) { $0.limits.chunkExtensionBytes = 5 },
    ]

    private static let long = String(repeating: "a", count: 200)
}
