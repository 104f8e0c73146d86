/// The field names in frequent use; each has a number, so that comparing them reads no text.
///
/// The number of a name is its place in `HTTPField.Name.wellKnown` plus one.
extension HTTPField.Name {
    /// Every well-known name as it is sent, at the index of its number minus one.
    static let wellKnown: [StaticString] = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Accept-Ranges",
        "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Max-Age",
        "Access-Control-Request-Headers", "Access-Control-Request-Method", "Age", "Allow", "Authorization",
        "Cache-Control", "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
        "Content-Length", "Content-Location", "Content-Range", "Content-Security-Policy", "Content-Type", "Cookie",
        "Date", "ETag", "Expect", "Expires", "Forwarded", "Host", "If-Match", "If-Modified-Since", "If-None-Match",
        "If-Range", "If-Unmodified-Since", "Last-Modified", "Link", "Location", "Origin", "Pragma",
        "Proxy-Authenticate", "Proxy-Authorization", "Range", "Referer", "Referrer-Policy", "Retry-After",
        "Sec-Fetch-Dest", "Sec-Fetch-Mode", "Sec-Fetch-Site", "Server", "Set-Cookie", "Strict-Transport-Security",
        "TE", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "Vary", "Via", "WWW-Authenticate",
        "X-Content-Type-Options", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Request-Id",
        "X-Requested-With", "Accept-API-Version", "Content-API-Version", "Keep-Alive", "Proxy-Connection", "DPoP",
        "traceparent", "tracestate",
    ]

    /// `Accept`.
    public static var accept: Self { Self(number: 1, text: "Accept") }
    /// `Accept-Encoding`.
    public static var acceptEncoding: Self { Self(number: 3, text: "Accept-Encoding") }
    /// `Authorization`.
    public static var authorization: Self { Self(number: 16, text: "Authorization") }
    /// `Cache-Control`.
    public static var cacheControl: Self { Self(number: 17, text: "Cache-Control") }
    /// `Connection`.
    public static var connection: Self { Self(number: 18, text: "Connection") }
    /// `Content-Encoding`.
    public static var contentEncoding: Self { Self(number: 20, text: "Content-Encoding") }
    /// `Content-Length`.
    public static var contentLength: Self { Self(number: 22, text: "Content-Length") }
    /// `Content-Type`.
    public static var contentType: Self { Self(number: 26, text: "Content-Type") }
    /// `Cookie`.
    public static var cookie: Self { Self(number: 27, text: "Cookie") }
    /// `ETag`.
    public static var eTag: Self { Self(number: 29, text: "ETag") }
    /// `Host`.
    public static var host: Self { Self(number: 33, text: "Host") }
    /// `If-None-Match`.
    public static var ifNoneMatch: Self { Self(number: 36, text: "If-None-Match") }
    /// `Location`.
    public static var location: Self { Self(number: 41, text: "Location") }
    /// `Origin`.
    public static var origin: Self { Self(number: 42, text: "Origin") }
    /// `Retry-After`.
    public static var retryAfter: Self { Self(number: 49, text: "Retry-After") }
    /// `Server`.
    public static var server: Self { Self(number: 53, text: "Server") }
    /// `Set-Cookie`.
    public static var setCookie: Self { Self(number: 54, text: "Set-Cookie") }
    /// `TE`.
    public static var te: Self { Self(number: 56, text: "TE") }
    /// `Transfer-Encoding`.
    public static var transferEncoding: Self { Self(number: 58, text: "Transfer-Encoding") }
    /// `User-Agent`.
    public static var userAgent: Self { Self(number: 60, text: "User-Agent") }
    /// `Vary`.
    public static var vary: Self { Self(number: 61, text: "Vary") }
    /// `WWW-Authenticate`.
    public static var wwwAuthenticate: Self { Self(number: 63, text: "WWW-Authenticate") }
    /// `X-Forwarded-For`.
    public static var xForwardedFor: Self { Self(number: 65, text: "X-Forwarded-For") }
    /// `X-Forwarded-Host`.
    public static var xForwardedHost: Self { Self(number: 66, text: "X-Forwarded-Host") }
    /// `X-Forwarded-Proto`.
    public static var xForwardedProto: Self { Self(number: 67, text: "X-Forwarded-Proto") }
    /// `X-Request-Id`.
    public static var xRequestID: Self { Self(number: 68, text: "X-Request-Id") }
    /// `Accept-API-Version`.
    public static var acceptAPIVersion: Self { Self(number: 70, text: "Accept-API-Version") }
    /// `DPoP`.
    public static var dPoP: Self { Self(number: 74, text: "DPoP") }
    /// `traceparent`.
    public static var traceparent: Self { Self(number: 75, text: "traceparent") }
    /// `tracestate`.
    public static var tracestate: Self { Self(number: 76, text: "tracestate") }
}
