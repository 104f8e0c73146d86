internal import BFF
internal import Basics
internal import Cryptography
internal import HTTPCore
internal import HTTPServer
internal import JSON
internal import Sessions

/// The words of Device Bound Session Credentials: the device cookie, the header fields and the instructions.
///
/// - SeeAlso: W3C "Device Bound Session Credentials"; docs/device-binding.md says where browsers differ from it.
struct DeviceCookie: Sendable {
    /// The field in which the browser sends a proof.
    static let proofField = "secure-session-response"
    /// The field in which the browser names the session that it proves; pages cannot set it.
    private static let idField = "sec-secure-session-id"
    /// The field in which the browser says why it sends no device cookie.
    private static let skippedField = "secure-session-skipped"

    /// The name of the binding, the same for all sessions of this origin: a new sign-in takes the place of an old one.
    let id: String
    private let registrationPath: String
    private let proofPath: String
    private let origin: String
    private let prefixes: [String]
    private let initiators: [String]

    init(_ settings: APISettings, routes: [RouteSettings]) {
        origin = settings.publicURL.origin
        // Browsers keep bindings by site and id, so two hosts of a site need two ids.
        id = "cloakroom-" + Base64URL.encode(Digest.hash(utf8: origin)).prefix(16)
        registrationPath = settings.basePath + Route.devicePath
        proofPath = settings.basePath + Route.deviceProofPath
        prefixes = routes.map(\.path).reduce(into: [settings.basePath]) { known, path in
            if !known.contains(path) { known.append(path) }
        }
        initiators = settings.corsOrigins.compactMap { WebURL($0)?.host }
    }

    /// The public address of the endpoint that registers devices.
    var registrationAddress: String { origin + registrationPath }
    /// The public address of the endpoint that takes proofs.
    var proofAddress: String { origin + proofPath }

    /// Reads the proof of a request; a cookie that was sent twice counts as none.
    func read(_ request: ServerRequest) -> SentDeviceProof {
        let sent = CookieHeader(request.headers.values("cookie")).single(APISettings.deviceCookieName)
        return SentDeviceProof(
            cookie: sent.map { String($0) }, isSkipped: request.headers.count(Self.skippedField) > 0)
    }

    /// True if the browser names this binding; the value may be in quotation marks.
    func isNamed(in request: ServerRequest) -> Bool {
        guard let name = request.headers.single(Self.idField) else { return false }
        return name.isSameText(as: id) || name.isSameText(as: "\"\(id)\"")
    }

    /// The fields that offer a registration.
    func headers(_ offer: DeviceOffer) throws(Problem) -> [ResponseHeader] {
        let names = offeredAlgorithms.joined(separator: " ")
        return [
            try field(offer.grant),
            ResponseHeader(
                "Secure-Session-Registration",
                "(\(names));path=\"\(registrationPath)\";challenge=\"\(offer.challenge)\""),
        ]
    }

    /// The fields of an answer to a proof.
    func headers(_ renewal: DeviceRenewal) throws(Problem) -> [ResponseHeader] {
        [try field(renewal.grant), challenge(renewal.challenge)]
    }

    /// The field with a challenge: browsers sign it now or next time, depending on the status of the answer.
    func challenge(_ challenge: String) -> ResponseHeader {
        ResponseHeader("Secure-Session-Challenge", "\"\(challenge)\";id=\"\(id)\"")
    }

    /// The field that removes the device cookie.
    func removal() throws(Problem) -> ResponseHeader { try field(value: "", life: 0) }

    /// The answer that ends a binding.
    var ending: [UInt8] {
        JSONValue.object(["session_identifier": .string(id), "continue": false]).serialized()
    }

    /// The answer that begins a binding.
    func instructions() throws(Problem) -> [UInt8] {
        var rules: [JSONValue] = [.object(["type": "exclude", "path": "/"])]
        rules += prefixes.map { .object(["type": "include", "path": .string($0)]) }
        let scope: JSONObject = [
            "origin": .string(origin), "include_site": false, "scope_specification": .array(rules),
        ]
        let credential: JSONObject = [
            "type": "cookie", "name": .string(APISettings.deviceCookieName), "attributes": .string(try attributes()),
        ]
        var instructions: JSONObject = [
            "session_identifier": .string(id), "refresh_url": .string(proofPath), "scope": .object(scope),
            "credentials": [.object(credential)],
        ]
        if !initiators.isEmpty { instructions["allowed_refresh_initiators"] = .array(initiators.map { .string($0) }) }
        return JSONValue.object(instructions).serialized()
    }

    private func field(_ grant: DeviceGrant) throws(Problem) -> ResponseHeader {
        try field(value: grant.cookie, life: grant.life.components.seconds)
    }

    private func field(value: String, life: Int64) throws(Problem) -> ResponseHeader {
        var cookie = cookie
        cookie.value = value
        cookie.maxAge = life
        guard let text = cookie.fieldValue else { throw Problem(.internalError) }
        return ResponseHeader("Set-Cookie", text)
    }

    /// The attributes in the form of `Set-Cookie`, without a life: browsers compare them with those of the cookie that
    /// they got.
    private func attributes() throws(Problem) -> String {
        guard let text = cookie.fieldValue, let end = text.firstRange(ofText: "; ") else {
            throw Problem(.internalError)
        }
        return String(text[end.upperBound...])
    }

    private var cookie: SetCookie {
        SetCookie(
            name: APISettings.deviceCookieName, value: "", path: "/", secure: true, httpOnly: true, sameSite: .strict)
    }

    /// The algorithms of keys, in the server's order.
    private var offeredAlgorithms: [String] { Devices.algorithms }
}
