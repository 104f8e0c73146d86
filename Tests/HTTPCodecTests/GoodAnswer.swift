import HTTPCodec
import HTTPCore
import Testing

/// A well-formed answer, and all that it says.
struct GoodAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var wire: Wire
    let status: Int
    let fields: [(String, String)]
    let body: String
    /// True if the connection may carry another request.
    let keeps: Bool
    /// True if it takes limits, an end or a refusal by libcurl that the comparison with libcurl cannot have.
    var isForCodecAlone = false

    init(
        _ name: String, _ bytes: String, _ status: Int = 200, _ fields: [(String, String)] = [], _ body: String = "",
        keeps: Bool = true, _ change: (inout Wire) -> Void = { _ in }
    ) {
        testDescription = name
        self.status = status
        self.fields = fields
        self.body = body
        self.keeps = keeps
        wire = Wire(bytes)
        change(&wire)
    }

    /// A chunked answer 200.
    init(_ name: String, chunks: String, _ body: String, _ change: (inout Wire) -> Void = { _ in }) {
        self.init(
            name, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks, 200,
            [("Transfer-Encoding", "chunked")], body, keeps: true, change)
    }

    var outcome: Outcome {
        var outcome = Outcome()
        outcome.status = status
        outcome.lines = fields.map { Line(name: $0.0, value: $0.1) }
        outcome.body = Array(body.utf8)
        outcome.isComplete = true
        outcome.canBegin = keeps
        return outcome
    }

    static let all = heads + lengths + chunked + closes + limits
}

extension GoodAnswer {
    static let heads: [GoodAnswer] = [
        GoodAnswer(
            "no fields but a length", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, [("Content-Length", "0")]),
        GoodAnswer("an empty reason", "HTTP/1.1 204 \r\n\r\n", 204),
        GoodAnswer("no reason and no blank", "HTTP/1.1 204\r\n\r\n", 204),
        GoodAnswer("a reason with a tab and letters outside ASCII", "HTTP/1.1 204 ja\tgewiß\r\n\r\n", 204),
        GoodAnswer(
            "the last status", "HTTP/1.1 599 X\r\nContent-Length: 1\r\n\r\na", 599, [("Content-Length", "1")], "a"),
        GoodAnswer(
            "values with and without blanks around them",
            "HTTP/1.1 204 No\r\nA:b\r\nC: \t d e\t \r\nE:\r\nF: \t \r\nG: a\tb\r\n\r\n", 204,
            [("A", "b"), ("C", "d e"), ("E", ""), ("F", ""), ("G", "a\tb")]),
        GoodAnswer(
            "a name of every token character", "HTTP/1.1 204 No\r\n!#$%&'*+-.^_`|~09azAZ: x\r\n\r\n", 204,
            [("!#$%&'*+-.^_`|~09azAZ", "x")]),
        GoodAnswer("colons in a value", "HTTP/1.1 204 No\r\nA: :b:c\r\n\r\n", 204, [("A", ":b:c")]),
        GoodAnswer(
            "letters outside ASCII in a value", "HTTP/1.1 204 No\r\nA: Zürich €\r\n\r\n", 204, [("A", "Zürich €")]),
        GoodAnswer(
            "a name again and again", "HTTP/1.1 204 No\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\n\r\n", 204,
            [("Set-Cookie", "a=b"), ("set-cookie", "c=d")]),
        GoodAnswer(
            "values longer than a word, with tabs at each place",
            "HTTP/1.1 204 No\r\nA: 0123456\t0123456\t\t789\r\nB: \u{80}\u{FF}0123456789abcdef~\r\n\r\n", 204,
            [("A", "0123456\t0123456\t\t789"), ("B", "\u{80}\u{FF}0123456789abcdef~")]),
        GoodAnswer(
            "interim answers first",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            200, [("Content-Length", "1")], "a"),
        GoodAnswer(
            "an interim answer whose fields say nothing of the answer",
            "HTTP/1.1 102 Wait\r\nContent-Length: 7\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na",
            200, [("Content-Length", "1")], "a"),
    ]

    static let lengths: [GoodAnswer] = [
        GoodAnswer(
            "a body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, [("Content-Length", "5")], "hello"),
        GoodAnswer(
            "zeros before the length", "HTTP/1.1 200 OK\r\nContent-Length: 0005\r\n\r\nhello", 200,
            [("Content-Length", "0005")], "hello"),
        GoodAnswer(
            "a length with blanks around it", "HTTP/1.1 200 OK\r\nContent-Length: \t5 \t\r\n\r\nhello", 200,
            [("Content-Length", "5")], "hello"),
        GoodAnswer(
            "the same length twice", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\n{}", 200,
            [("Content-Length", "2"), ("content-length", "2")], "{}"),
        GoodAnswer(
            "a body that looks like an answer", "HTTP/1.1 200 OK\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
            200, [("Content-Length", "19")], "HTTP/1.1 200 OK\r\n\r\n"),
        GoodAnswer(
            "the length of a body that HEAD does not get", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            200,
            [("Content-Length", "99999999999")]
        ) { $0.method = .head },
        GoodAnswer(
            "a coding of a body that HEAD does not get", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200,
            [("Transfer-Encoding", "chunked")]
        ) { $0.method = .head },
        GoodAnswer("no length to HEAD", "HTTP/1.1 200 OK\r\n\r\n") { $0.method = .head },
        GoodAnswer("304 with a length", "HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n", 304, [("Content-Length", "5")]),
        GoodAnswer(
            "204 with the length 0", "HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n", 204, [("Content-Length", "0")]),
        GoodAnswer(
            "204 with a length", "HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", 204, [("Content-Length", "5")],
            keeps: false),
        GoodAnswer(
            "204 with a coding", "HTTP/1.1 204 No\r\nTransfer-Encoding: chunked\r\n\r\n", 204,
            [("Transfer-Encoding", "chunked")], keeps: false),
        GoodAnswer(
            "205 with a length", "HTTP/1.1 205 Reset\r\nContent-Length: 0\r\n\r\n", 205, [("Content-Length", "0")]),
        GoodAnswer(
            "a length to POST", "HTTP/1.1 201 Made\r\ncOnTeNt-LeNgTh: 2\r\n\r\n\0\n", 201, [("cOnTeNt-LeNgTh", "2")],
            "\0\n"
        ) { $0.method = .post },
    ]

    static let chunked: [GoodAnswer] = [
        GoodAnswer("one chunk", chunks: "5\r\nhello\r\n0\r\n\r\n", "hello"),
        GoodAnswer("several chunks", chunks: "1\r\na\r\n00002\r\nbc\r\n3\r\ndef\r\n000\r\n\r\n", "abcdef"),
        GoodAnswer("no chunk but the last", chunks: "0\r\n\r\n", ""),
        GoodAnswer(
            "a size in letters of both cases",
            chunks: "1A\r\nabcdefghijklmnopqrstuvwxyz\r\na\r\n0123456789\r\n0\r\n\r\n",
            "abcdefghijklmnopqrstuvwxyz0123456789"),
        GoodAnswer("a size of fifteen digits", chunks: "000000000000001\r\na\r\n0\r\n\r\n", "a"),
        GoodAnswer("data of line ends", chunks: "6\r\n\r\n0\r\n\r\r\n0\r\n\r\n", "\r\n0\r\n\r"),
        GoodAnswer("extensions", chunks: "1;a\r\na\r\n1;a=b; c=\"d;\te\"\r\nb\r\n0;f\r\n\r\n", "ab"),
        GoodAnswer(
            "trailers, of which none tells a length or is shown",
            chunks: "1\r\na\r\n0\r\nContent-Length: 99\r\nTransfer-Encoding: gzip\r\nConnection: close\r\nA:\r\n\r\n",
            "a"),
        GoodAnswer(
            "the coding in other letters", "HTTP/1.1 200 OK\r\ntransfer-encoding:\tCHUNKED \r\n\r\n1\r\na\r\n0\r\n\r\n",
            200,
            [("transfer-encoding", "CHUNKED")], "a"),
    ]

    static let closes: [GoodAnswer] = [
        GoodAnswer(
            "a body until the end", "HTTP/1.1 200 OK\r\nA: b\r\n\r\nhello", 200, [("A", "b")], "hello", keeps: false
        ) {
            $0.ending = .clean
        },
        GoodAnswer("an empty body until the end", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 200, [("A", "b")], keeps: false) {
            $0.ending = .clean
        },
        GoodAnswer("HTTP/1.0 until the end", "HTTP/1.0 200 OK\r\n\r\nhello", 200, [], "hello", keeps: false) {
            $0.ending = .clean
        },
        GoodAnswer(
            "HTTP/1.0 with a length", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", 200,
            [("Connection", "keep-alive"), ("Content-Length", "1")], "a", keeps: false),
        GoodAnswer(
            "close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na", 200,
            [("Connection", "close"), ("Content-Length", "1")], "a", keeps: false),
        GoodAnswer(
            "close in a list", "HTTP/1.1 204 No\r\nConnection: x , CLOSE,y\r\n\r\n", 204,
            [("Connection", "x , CLOSE,y")],
            keeps: false),
        GoodAnswer(
            "close in a second line", "HTTP/1.1 204 No\r\nConnection: x\r\nconnection: close\r\n\r\n", 204,
            [("Connection", "x"), ("connection", "close")], keeps: false),
        GoodAnswer(
            "a word with close in it", "HTTP/1.1 204 No\r\nConnection: closed, , keep-alive\r\n\r\n", 204,
            [("Connection", "closed, , keep-alive")]),
        GoodAnswer(
            "the end after a complete answer", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na", 200,
            [("Content-Length", "1")], "a"
        ) { $0.ending = .unclean },
    ]

    static let limits: [GoodAnswer] = [
        GoodAnswer("a head of the limit", "HTTP/1.1 204 No\r\nA: bcdef\r\n\r\n", 204, [("A", "bcdef")]) {
            $0.limits.headBytes = $0.bytes.count
        },
        GoodAnswer(
            "as many fields as the limit", "HTTP/1.1 204 No\r\nA: b\r\nC: d\r\n\r\n", 204, [("A", "b"), ("C", "d")]
        ) {
            $0.limits.fieldLines = 2
        },
        GoodAnswer(
            "a body of the limit", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, [("Content-Length", "5")],
            "hello"
        ) {
            $0.limits.bodyBytes = 5
        },
        GoodAnswer("chunks of the limit", chunks: "2\r\nhe\r\n3;12345\r\nllo\r\n0\r\n\r\n", "hello") {
            ($0.limits.bodyBytes, $0.limits.chunkExtensionBytes) = (5, 5)
        },
        GoodAnswer("a body until the end of the limit", "HTTP/1.1 200 OK\r\n\r\nhello", 200, [], "hello", keeps: false)
        {
            ($0.limits.bodyBytes, $0.ending) = (5, .clean)
        },
        GoodAnswer(
            "as many interim answers as the limit",
            "HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 204 No\r\n\r\n", 204
        ) { $0.limits.interimAnswers = 2 },
    ]
}
