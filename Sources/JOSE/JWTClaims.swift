package import Basics
package import JSON

/// The claims of a token (RFC 7519 section 4), typed where others rely on them.
///
/// Claims are only as good as the signature over them: parse them after `JWS.verify`, or say why not.
package struct JWTClaims: Sendable {
    private let members: JSONMembers
    /// All claims as received.
    package var json: JSONObject { members.object }
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
        members = JSONMembers(json, JWTClaim.names)
        issuer = try Self.text(members, .issuer)
        subject = try Self.text(members, .subject)
        audiences = try Self.texts(members, .audience)
        expires = try Self.time(members, .expires)
        notBefore = try Self.time(members, .notBefore)
        issuedAt = try Self.time(members, .issuedAt)
        var stated: Timestamp?
        if let milliseconds = members.int(JWTClaim.authTime.rawValue), milliseconds > Self.mostSeconds {
            stated = Timestamp(milliseconds: milliseconds)
        } else {
            stated = try Self.time(members, .authTime)
        }
        if stated == nil, let otherAuthTime { stated = try Self.authTime(json[otherAuthTime]) }
        statesThousandth = Self.isThousandth(stated, of: issuedAt)
        authTime = statesThousandth ? nil : stated
    }

    /// True if a time is a thousandth of the issue of its token, or of a time up to a year before.
    private static func isThousandth(_ time: Timestamp?, of issued: Timestamp?) -> Bool {
        guard let time, let issued, time.seconds > 0, time.seconds < issued.seconds / 100 else { return false }
        let whole = Timestamp(seconds: time.seconds * 1000)
        return whole <= issued + .seconds(1000) && whole >= issued + .seconds(-366 * 86_400)
    }

    /// True if a claim is present, `null` included.
    package func has(_ claim: JWTClaim) -> Bool { members.has(claim.rawValue) }

    /// A claim as received; nil when absent.
    package subscript(claim: JWTClaim) -> JSONValue? { members[claim.rawValue] }

    /// A claim when it is a text.
    package func string(_ claim: JWTClaim) -> String? { members.string(claim.rawValue) }

    /// True if a claim is a text.
    package func isText(_ claim: JWTClaim) -> Bool { members.kind(claim.rawValue) == .string }

    /// True if a claim is this text.
    package func isText(_ claim: JWTClaim, _ text: StaticString) -> Bool { members.isText(claim.rawValue, text) }

    /// True if a claim is this text, which is in lower case, in any case of ASCII letters.
    package func says(_ claim: JWTClaim, _ word: StaticString) -> Bool {
        members.isText(claim.rawValue, word, ignoringCase: true)
    }

    /// A claim when it is a text, by its name.
    package func string(_ name: String) -> String? {
        json[name]?.string
    }

    /// `acr`, the class of the sign-in; values are compared, never ordered.
    package var acr: String? { string(.acr) }

    /// `amr`, the methods of the sign-in; one text counts as a list of one, anything else as none.
    package var amr: [String] {
        guard let value = self[.amr] else { return [] }
        if let single = value.string { return [single] }
        return value.array?.compactMap(\.string) ?? []
    }

    /// `auth_level` of AM: a whole number from 0, also written as a text of digits; anything else is none.
    package var authLevel: Int? {
        if let number = members.int(JWTClaim.authLevel.rawValue) { return number >= 0 ? Int(exactly: number) : nil }
        guard let text = string(.authLevel), !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text)
    }

    /// `scope`: a text with spaces or an array of texts; nil when absent.
    package var scopes: [String]? {
        guard let value = self[.scope], !value.isNull else { return nil }
        if let text = value.string { return Self.split(text) }
        return value.array?.flatMap { $0.string.map(Self.split) ?? [] } ?? []
    }

    /// True if `scope` is present and not `null`.
    package var statesScopes: Bool {
        switch members.kind(JWTClaim.scope.rawValue) {
        case nil, .null: false
        default: true
        }
    }

    private static func split(_ text: String) -> [String] {
        let blank = UInt8(ascii: " ")
        // Mostly an element of an array is one scope.
        guard text.utf8.contains(blank) else { return text.isEmpty ? [] : [text] }
        return text.utf8.split(separator: blank).map { String(Substring($0)) }
    }

    private static func text(_ members: JSONMembers, _ claim: JWTClaim) throws(JOSEError) -> String? {
        switch members.kind(claim.rawValue) {
        case nil, .null: nil
        case .string: members.string(claim.rawValue)
        default: throw .malformed
        }
    }

    private static func texts(_ members: JSONMembers, _ claim: JWTClaim) throws(JOSEError) -> [String] {
        guard let value = members[claim.rawValue], !value.isNull else { return [] }
        if let single = value.string { return [single] }
        guard let texts = value.array?.map(\.string) else { throw .malformed }
        return try texts.map { (text) throws(JOSEError) in
            guard let text else { throw .malformed }
            return text
        }
    }

    /// The greatest time in seconds: AM states the time of authentication in milliseconds after a refresh, and no clock
    /// shows seconds as many.
    private static let mostSeconds: Int64 = 100_000_000_000

    /// A time of authentication in seconds or, beyond `mostSeconds`, in milliseconds.
    private static func authTime(_ value: JSONValue?) throws(JOSEError) -> Timestamp? {
        if let number = value?.int, number > mostSeconds { return Timestamp(milliseconds: number) }
        return try time(value)
    }

    private static func time(_ members: JSONMembers, _ claim: JWTClaim) throws(JOSEError) -> Timestamp? {
        if let seconds = members.int(claim.rawValue) { return Timestamp(seconds: seconds) }
        return try time(members[claim.rawValue])
    }

    private static func time(_ value: JSONValue?) throws(JOSEError) -> Timestamp? {
        guard let value, !value.isNull else { return nil }
        if let seconds = value.int { return Timestamp(seconds: seconds) }
        // Beyond this a double no longer holds milliseconds, and no clock shows such a year.
        guard let seconds = value.double, abs(seconds) < 1e12 else { throw .malformed }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded(.down)))
    }
}

extension JWTClaims: Equatable {
    /// Equal when all claims are, and the time of authentication that was read from them.
    package static func == (left: JWTClaims, right: JWTClaims) -> Bool {
        left.json == right.json && left.authTime == right.authTime && left.statesThousandth == right.statesThousandth
    }
}
