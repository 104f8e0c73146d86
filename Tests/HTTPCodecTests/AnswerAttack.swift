import HTTPCodec
import HTTPCore
import Testing

/// An answer that must be refused, the clause that it breaks, and the refusal.
struct AnswerAttack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let clause: String
    let refusal: HTTPCodecError
    var wire: Wire
    /// The status of an answer that stays usable, because the fault comes after its end.
    var answered: Int?

    /// An attack under a name, the clause that it breaks, its refusal and its bytes; `change` says what the reader is told besides.
    init(
        _ name: String, _ clause: String, _ refusal: HTTPCodecError, _ bytes: String,
        answered: Int? = nil, _ change: (inout Wire) -> Void = { _ in }
    ) {
        testDescription = name
        self.clause = clause
        self.refusal = refusal
        self.answered = answered
        wire = Wire(bytes)
        change(&wire)
    }

    /// An answer 200 with these field lines, each with its end, and no body.
    init(_ name: String, _ clause: String, _ refusal: HTTPCodecError, fields: String) {
        self.init(name, clause, refusal, "HTTP/1.1 200 OK\r\n" + fields + "\r\n")
    }

    /// An answer 200 with this chunked body.
    init(
        _ name: String, _ clause: String, _ refusal: HTTPCodecError, chunks: String,
        _ change: (inout Wire) -> Void = { _ in }
    ) {
        self.init(
            name, clause, refusal, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, answered: nil,
            change)
    }

    static let all = lines + fields + lengths + codings + chunks + order + ends + limits
}

extension AnswerAttack {
    static let lines: [AnswerAttack] = [
        AnswerAttack("no HTTP at all", "RFC 9112 4", .statusLine, "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        AnswerAttack("an empty line first", "RFC 9112 2.2", .statusLine, "\r\nHTTP/1.1 200 OK\r\n\r\n"),
        AnswerAttack("a blank first", "RFC 9112 4", .statusLine, " HTTP/1.1 200 OK\r\n\r\n"),
        AnswerAttack("http in lower case", "RFC 9112 2.3", .statusLine, "http/1.1 200 OK\r\n\r\n"),
        AnswerAttack("a control character after the version", "RFC 9112 4", .reason, "HTTP/1.1\u{1}200 OK\r\n\r\n"),
        AnswerAttack("two blanks after the version", "RFC 9112 4", .status, "HTTP/1.1  200 OK\r\n\r\n"),
        AnswerAttack("no blank after the version", "RFC 9112 4", .statusLine, "HTTP/1.1200 OK\r\n\r\n"),
        AnswerAttack("a version alone", "RFC 9112 4", .statusLine, "HTTP/1.1\r\n\r\n"),
        AnswerAttack("a tab in place of the blank", "RFC 9112 4", .statusLine, "HTTP/1.1\t200 OK\r\n\r\n"),
        AnswerAttack("HTTP/2", "RFC 9112 2.3", .version, "HTTP/2 200\r\n\r\n"),
        AnswerAttack("HTTP/2.0", "RFC 9112 2.3", .version, "HTTP/2.0 200 OK\r\n\r\n"),
        AnswerAttack("HTTP/1.2", "RFC 9112 2.3", .version, "HTTP/1.2 200 OK\r\n\r\n"),
        AnswerAttack("HTTP/1.10", "RFC 9112 2.3", .statusLine, "HTTP/1.10 200 OK\r\n\r\n"),
        AnswerAttack("HTTP/0.9", "RFC 9112 2.3", .version, "HTTP/0.9 200 OK\r\n\r\n"),
        AnswerAttack("HTTP/1", "RFC 9112 2.3", .version, "HTTP/1 200 OK\r\n\r\n"),
        AnswerAttack("a status of two digits", "RFC 9110 15", .status, "HTTP/1.1 20 OK\r\n\r\n"),
        AnswerAttack("a status of four digits", "RFC 9110 15", .status, "HTTP/1.1 2000 OK\r\n\r\n"),
        AnswerAttack("a status with a sign", "RFC 9110 15", .status, "HTTP/1.1 +20 OK\r\n\r\n"),
        AnswerAttack("a status with a letter", "RFC 9110 15", .status, "HTTP/1.1 2O0 OK\r\n\r\n"),
        AnswerAttack("no status", "RFC 9110 15", .status, "HTTP/1.1 \r\n\r\n"),
        AnswerAttack("a status under 100", "RFC 9110 15", .status, "HTTP/1.1 099 No\r\n\r\n"),
        AnswerAttack("a status over 599", "RFC 9110 15", .status, "HTTP/1.1 600 No\r\n\r\n"),
        AnswerAttack("a NUL in the reason", "RFC 9112 4", .reason, "HTTP/1.1 200 O\0K\r\n\r\n"),
        AnswerAttack("a DEL in the reason", "RFC 9112 4", .reason, "HTTP/1.1 200 O\u{7F}K\r\n\r\n"),
        AnswerAttack("a status line that ends with LF", "RFC 9112 2.2", .bareLineFeed, "HTTP/1.1 200 OK\nA: b\r\n\r\n"),
        AnswerAttack("a CR in the reason", "RFC 9112 2.2", .bareCarriageReturn, "HTTP/1.1 200 O\rK\r\n\r\n"),
        AnswerAttack(
            "a status line that ends with CR CR LF", "RFC 9112 2.2", .bareCarriageReturn, "HTTP/1.1 200 OK\r\r\n\r\n"),
        AnswerAttack(
            "a switch of protocols", "RFC 9110 15.2.2", .switchedProtocols, "HTTP/1.1 101 Go\r\nUpgrade: h2c\r\n\r\n"),
    ]

    static let fields: [AnswerAttack] = [
        AnswerAttack("a folded value", "RFC 9112 5.2", .foldedLine, fields: "A: b\r\n c\r\n"),
        AnswerAttack("a value folded with a tab", "RFC 9112 5.2", .foldedLine, fields: "A: b\r\n\tc\r\n"),
        AnswerAttack("a folded Content-Length", "RFC 9112 5.2", .foldedLine, fields: "Content-Length: 5\r\n 0\r\n"),
        AnswerAttack("a blank before the first field", "RFC 9112 2.2", .foldedLine, fields: " A: b\r\n"),
        AnswerAttack("a line of blanks", "RFC 9112 5.2", .foldedLine, fields: "A: b\r\n \r\n"),
        AnswerAttack("a blank before the colon", "RFC 9112 5.1", .blankBeforeColon, fields: "Content-Length : 5\r\n"),
        AnswerAttack(
            "a tab before the colon", "RFC 9112 5.1", .blankBeforeColon, fields: "Transfer-Encoding\t: chunked\r\n"),
        AnswerAttack("a blank in a name", "RFC 9112 5.1", .blankBeforeColon, fields: "A b: c\r\n"),
        AnswerAttack("a line without a colon", "RFC 9112 5", .missingColon, fields: "A\r\n"),
        AnswerAttack("a name that ends with LF", "RFC 9112 5", .missingColon, fields: "A\n: b\r\n"),
        AnswerAttack("a second status line", "RFC 9112 5", .fieldName, fields: "HTTP/1.1 200 OK\r\n"),
        AnswerAttack("an empty name", "RFC 9110 5.1", .fieldName, fields: ": b\r\n"),
        AnswerAttack("a NUL in a name", "RFC 9110 5.6.2", .fieldName, fields: "A\0: b\r\n"),
        AnswerAttack("a control character that begins a name", "RFC 9110 5.6.2", .fieldName, fields: "\u{1}A: b\r\n"),
        AnswerAttack("a bracket in a name", "RFC 9110 5.6.2", .fieldName, fields: "A(b): c\r\n"),
        AnswerAttack("a quote in a name", "RFC 9110 5.6.2", .fieldName, fields: "A\"b: c\r\n"),
        AnswerAttack("a letter outside ASCII in a name", "RFC 9110 5.6.2", .fieldName, fields: "Ä: c\r\n"),
        AnswerAttack("a DEL in a name", "RFC 9110 5.6.2", .fieldName, fields: "A\u{7F}: c\r\n"),
        AnswerAttack("a NUL in a value", "RFC 9110 5.5", .fieldValue, fields: "A: b\0c\r\n"),
        AnswerAttack(
            "an escape character in a value", "RFC 9110 5.5", .fieldValue, fields: "A: \u{1B}[2J and more\r\n"),
        AnswerAttack("a vertical tab in a value", "RFC 9110 5.5", .fieldValue, fields: "A: tab\tand\u{B}more\r\n"),
        AnswerAttack("a DEL in a value", "RFC 9110 5.5", .fieldValue, fields: "A: \u{7F}\r\n"),
        AnswerAttack("a value that ends with LF", "RFC 9112 2.2", .bareLineFeed, fields: "A: b\nSet-Cookie: c\r\n"),
        AnswerAttack("a head that ends with LF", "RFC 9112 2.2", .bareLineFeed, "HTTP/1.1 200 OK\r\nA: b\r\n\n"),
        AnswerAttack("a CR in a value", "RFC 9112 2.2", .bareCarriageReturn, fields: "A: b\rSet-Cookie: c\r\n"),
        AnswerAttack("a CR before the line's end", "RFC 9112 2.2", .bareCarriageReturn, fields: "A: b\r\r\n"),
        AnswerAttack("a CR that begins a line", "RFC 9112 2.2", .bareCarriageReturn, fields: "\rA: b\r\n"),
    ]

    static let lengths: [AnswerAttack] = [
        AnswerAttack("an empty length", "RFC 9110 8.6", .contentLength, fields: "Content-Length: \r\n"),
        AnswerAttack("a negative length", "RFC 9110 8.6", .contentLength, fields: "Content-Length: -1\r\n"),
        AnswerAttack("a length with a plus", "RFC 9110 8.6", .contentLength, fields: "Content-Length: +1\r\n"),
        AnswerAttack("a length with a blank", "RFC 9110 8.6", .contentLength, fields: "Content-Length: 1 0\r\n"),
        AnswerAttack("a hexadecimal length", "RFC 9110 8.6", .contentLength, fields: "Content-Length: 0x5\r\n"),
        AnswerAttack("a length with a fraction", "RFC 9110 8.6", .contentLength, fields: "Content-Length: 5.0\r\n"),
        AnswerAttack("a list of equal lengths", "RFC 9112 6.3", .contentLength, fields: "Content-Length: 0, 0\r\n"),
        AnswerAttack("a list of lengths", "RFC 9112 6.3", .contentLength, fields: "Content-Length: 5,6\r\n"),
        AnswerAttack("a length in other digits", "RFC 9110 8.6", .contentLength, fields: "Content-Length: ٥\r\n"),
        AnswerAttack(
            "a length of nineteen digits", "RFC 9110 8.6", .contentLength,
            fields: "Content-Length: 1000000000000000000\r\n"),
        AnswerAttack(
            "a length that overflows to five", "RFC 9110 8.6", .contentLength,
            fields: "Content-Length: 18446744073709551621\r\n"),
        AnswerAttack(
            "two lengths that differ", "RFC 9112 6.3", .contentLengthsDiffer,
            fields: "Content-Length: 0\r\nA: b\r\ncontent-length: 5\r\n"),
        AnswerAttack(
            "three lengths, of which the last differs", "RFC 9112 6.3", .contentLengthsDiffer,
            fields: "Content-Length: 0\r\nContent-Length: 0\r\nCONTENT-LENGTH: 1\r\n"),
        AnswerAttack(
            "a length, then chunked", "RFC 9112 6.3", .bothLengths,
            fields: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        AnswerAttack(
            "chunked, then a length", "RFC 9112 6.3", .bothLengths,
            fields: "transfer-encoding: chunked\r\ncontent-length: 0\r\n"),
        AnswerAttack(
            "both lengths to HEAD", "RFC 9112 6.3", .bothLengths,
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
        ) { $0.method = .head },
        AnswerAttack(
            "both lengths in an interim answer", "RFC 9112 6.3", .bothLengths,
            "HTTP/1.1 103 Hints\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ]

    static let codings: [AnswerAttack] = [
        AnswerAttack("an unknown coding", "RFC 9112 6.1", .transferCoding, fields: "Transfer-Encoding: gzip\r\n"),
        AnswerAttack("the withdrawn coding", "RFC 9112 7", .transferCoding, fields: "Transfer-Encoding: identity\r\n"),
        AnswerAttack("an empty coding", "RFC 9112 6.1", .transferCoding, fields: "Transfer-Encoding:\r\n"),
        AnswerAttack(
            "another coding first", "RFC 9112 6.1", .transferCoding, fields: "Transfer-Encoding: gzip, chunked\r\n"),
        AnswerAttack("a parameter", "RFC 9112 7", .transferCoding, fields: "Transfer-Encoding: chunked;q=1\r\n"),
        AnswerAttack(
            "a word that begins like chunked", "RFC 9112 7", .transferCoding, fields: "Transfer-Encoding: chunkedx\r\n"),
        AnswerAttack("quotes", "RFC 9112 7", .transferCoding, fields: "Transfer-Encoding: \"chunked\"\r\n"),
        AnswerAttack(
            "an empty element first", "RFC 9112 6.1", .transferCoding, fields: "Transfer-Encoding: ,chunked\r\n"),
        AnswerAttack(
            "a coding after chunked", "RFC 9112 6.1", .chunkedNotLast, fields: "Transfer-Encoding: chunked, gzip\r\n"),
        AnswerAttack(
            "a comma after chunked", "RFC 9112 6.1", .chunkedNotLast, fields: "Transfer-Encoding: chunked,\r\n"),
        AnswerAttack(
            "a coding after chunked, in another line", "RFC 9112 6.1", .chunkedNotLast,
            fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
        AnswerAttack(
            "chunked twice", "RFC 9112 6.1", .chunkedTwice, fields: "Transfer-Encoding: chunked , Chunked\r\n"),
        AnswerAttack(
            "chunked twice, in two lines", "RFC 9112 6.1", .chunkedTwice,
            fields: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
        AnswerAttack(
            "chunked in HTTP/1.0", "RFC 9112 6.1", .transferEncodingVersion,
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ]
}
