package import Basics
package import JSON

/// The claims of a token (RFC 7519 section 4), typed where others rely on them.
///
/// Claims are only as good as the signature over them: parse them after `JWS.verify`, or say why not.
package struct JWTClaims: Sendable, Equatable {
    /// All claims as received.
    package let json: JSONObject
    /// The issuer of the token, `iss`; nil when absent.
    package let issuer: String?
    /// The subject of the token, `sub`; nil when absent.
    package let subject: String?
    /// `aud`, as a list also when it came as one string; empty when absent.
    package let audiences: [String]
    /// The expiry time, `exp`; nil when absent.
    package let expires: Timestamp?
    /// The instant from which the token is valid, `nbf`; nil when absent.
    package let notBefore: Timestamp?
    /// The time of issue, `iat`; nil when absent.
    package let issuedAt: Timestamp?
    /// `auth_time` (OpenID Connect Core 2): when the user proved who they are; nil also for a time that AM has divided by a
    /// thousand, see `statesThousandth`.
    package let authTime: Timestamp?
    /// True if `auth_time` is about a thousandth of `iat`.
    ///
    /// Some versions of AM take seconds for milliseconds and divide once more. The quotient is a day of January 1970 and has
    /// lost up to 17 minutes: it counts as not stated.
    package let statesThousandth: Bool

    /// Reads the claims in a token's content.
    ///
    /// A registered claim of the wrong type refuses the whole token: taken for absent, a wrong `nbf` would never bind.
    /// `null` counts as absent; times may have fractions.
    ///
    /// - Parameters:
    ///   - payload: A JSON object.
    ///   - otherAuthTime: A claim that states the time of authentication where there is no `auth_time`; nil for none.
    /// - Returns: The claims.
    /// - Throws: `.malformed`.
    package static func parse(_ payload: [UInt8], otherAuthTime: String? = nil) throws(JOSEError) -> JWTClaims {
        let value: JSONValue
        do { value = try JSONValue(parsing: payload) } catch { throw .malformed }
        guard let json = value.object else { throw .malformed }
        return try JWTClaims(json, otherAuthTime: otherAuthTime)
    }

    /// Reads claims that were parsed before, see `parse(_:otherAuthTime:)`.
    package init(_ json: JSONObject, otherAuthTime: String? = nil) throws(JOSEError) {
        self.json = json
        issuer = try Self.text(json, "iss")
        subject = try Self.text(json, "sub")
        audiences = try Self.texts(json, "aud")
        expires = try Self.time(json, "exp")
        notBefore = try Self.time(json, "nbf")
        issuedAt = try Self.time(json, "iat")
        var stated = try Self.authTime(json, "auth_time")
        if stated == nil, let otherAuthTime { stated = try Self.authTime(json, otherAuthTime) }
        statesThousandth = Self.isThousandth(stated, of: issuedAt)
        authTime = statesThousandth ? nil : stated
    }

    /// True if a time is a thousandth of the issue of its token, or of a time up to a year before.
    private static func isThousandth(_ time: Timestamp?, of issued: Timestamp?) -> Bool {
        guard let time, let issued, time.seconds > 0, time.seconds < issued.seconds / 100 else { return false }
        let whole = Timestamp(seconds: time.seconds * 1000)
        return whole <= issued + .seconds(1000) && whole >= issued + .seconds(-366 * 86_400)
    }

    /// A claim when it is a text.
    package func string(_ name: String) -> String? {
        json[name]?.string
    }

    /// `acr`, the class of the sign-in; values are compared, never ordered.
    package var acr: String? { string("acr") }

    /// `amr`, the methods of the sign-in; one text counts as a list of one, anything else as none.
    package var amr: [String] {
        if let single = string("amr") { return [single] }
        return json["amr"]?.array?.compactMap(\.string) ?? []
    }

    /// `auth_level` of AM: a whole number from 0, also written as a text of digits; anything else is none.
    package var authLevel: Int? {
        guard let value = json["auth_level"] else { return nil }
        if let number = value.int { return number >= 0 ? Int(exactly: number) : nil }
        guard let text = value.string, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else {
            return nil
        }
        return Int(text)
    }

    /// `scope`: a text with spaces or an array of texts; nil when absent.
    package var scopes: [String]? {
        guard let value = json["scope"], !value.isNull else { return nil }
        let parts = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
        return parts.flatMap { $0.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } }
    }

    private static func text(_ json: JSONObject, _ name: String) throws(JOSEError) -> String? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let text = value.string else { throw .malformed }
        return text
    }

    private static func texts(_ json: JSONObject, _ name: String) throws(JOSEError) -> [String] {
        guard let value = json[name], !value.isNull else { return [] }
        if let single = value.string { return [single] }
        guard let texts = value.array?.map(\.string) else { throw .malformed }
        return try texts.map { (text) throws(JOSEError) in
            guard let text else { throw .malformed }
            return text
        }
    }

    /// A time of authentication: AM states it in milliseconds after a refresh, and no clock shows seconds as many.
    private static func authTime(_ json: JSONObject, _ name: String) throws(JOSEError) -> Timestamp? {
        if let number = json[name]?.int, number > 100_000_000_000 { return Timestamp(milliseconds: number) }
        return try time(json, name)
    }

    private static func time(_ json: JSONObject, _ name: String) throws(JOSEError) -> Timestamp? {
        guard let value = json[name], !value.isNull else { return nil }
        if let seconds = value.int { return Timestamp(seconds: seconds) }
        // Beyond this a double no longer holds milliseconds, and no clock shows such a year.
        guard let seconds = value.double, abs(seconds) < 1e12 else { throw .malformed }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}
