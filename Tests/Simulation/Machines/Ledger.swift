import Basics
import HTTPCore
import IdentitySimulator
import JSON

/// All that the provider was asked and has given out, and who got it.
///
/// Sendable invariant: one thread, as of `World`.
final class Ledger: @unchecked Sendable {
    /// A provider session or a grant as it was given out.
    struct Gift {
        /// What kind of thing it is.
        enum Kind: String {
            case session
            case grant
        }

        let kind: Kind
        let user: String
        /// The client of a grant; empty for a session.
        let client: String
        /// How strong the sign-in of a grant was.
        let level: Int
        let at: Duration
        /// The call whose answer carried it.
        let call: ProviderCall
        /// What its ID token says; nil for a session.
        var statement: Statement?
    }

    private let world: World
    private let provider: InProcessSimulator
    private let journal: StoreJournal
    private(set) var gifts: [String: Gift] = [:]
    /// Everything that no browser may see.
    private(set) var secrets: Set<String> = []
    private var authIDs: [String: Int] = [:]
    let travels: Travels
    let flows: FlowWatch
    /// The requests that open a link where nobody waits for it.
    var linksElsewhere: Set<String> = []
    /// The requests whose calls the provider answers late.
    var heldBack: Set<String> = []
    /// The requests that begin a flow or go on with one.
    var flowRequests: Set<String> = []
    /// Since when the provider has a step and has not answered it, by the request.
    private(set) var stepsUnderWay: [String: Duration] = [:]
    /// The rule about each request that a thief has under way, by its id.
    var thefts: [String: (Gift) -> Void] = [:]
    private var redeemed: [String: ProviderCall] = [:]
    private var grantOfToken: [String: String] = [:]
    private var finished: [String: [Duration]] = [:]
    /// When the server has had grants revoked.
    private var revoked: [String: Duration] = [:]
    /// Grants of which a renewed token never came to the machine that asked for it.
    private var broken: Set<String> = []
    /// The users whom the provider has signed out by itself.
    var endedByProvider: Set<String> = []
    /// What was ended without cookies.
    let ends: RemoteEndWatch
    /// The access tokens of AM's clients, in the order in which they were given.
    private(set) var accessTokens: [String] = []

    /// Whether commits have answers and machines live.
    private let isUndisturbed: Bool
    /// How far the clocks of two machines are apart.
    private let skew: Duration

    init(_ world: World, _ mix: Mix, _ provider: InProcessSimulator, _ journal: StoreJournal) {
        self.world = world
        isUndisturbed = mix.hasWholeStore && mix.storeSlow == 0 && mix.crashes == 0 && !mix.keyChanges
        skew = mix.skew
        self.provider = provider
        self.journal = journal
        travels = Travels(world, mix)
        flows = FlowWatch(world, mix, provider)
        ends = RemoteEndWatch(world, mix)
    }

    /// A machine cannot read a session, nor store anything in it: an operator in a hurry gave another one a new key first.
    func lacksKey(_ machine: Int) { journal.failed(machine, at: world.now) }

    // MARK: What the provider sees

    /// A request has come to the provider.
    func received(_ request: ClientRequest, _ call: ProviderCall) {
        let path = request.url.path
        if path.hasSuffix("/authenticate"), let authID = (try? JSONValue(parsing: request.body))?["authId"]?.string {
            authIDs[authID, default: 0] += 1
            world.record.count(.check, "a step that the provider gets")
            if authIDs[authID] == 2 { world.fail(.authIDTwice, "\(call) sends an authId a second time") }
            if let id = call.requestID { stepsUnderWay[id] = world.now }
        }
        if path.hasSuffix("/authenticate") { judgeTravel(request, call) }
        flows.received(request, call, self)
        guard path.hasSuffix("/access_token") || path.hasSuffix("/as/token") || path.hasSuffix("/revoke") else {
            return
        }
        let form = QueryParameters(parsing: String(decoding: request.body, as: UTF8.self)[...])
        if path.hasSuffix("/revoke"), let grant = form?.single("token").flatMap({ grantOfToken[$0] }) {
            if revoked[grant] == nil { revoked[grant] = world.now }
        }
        guard form?.single("grant_type") == "refresh_token", let token = form?.single("refresh_token") else { return }
        call.refreshToken = token
        judgeUse(of: token, "\(call)")
        world.record.count(.check, "a refresh token that is sent")
        guard let first = redeemed[token] else { return }
        // Nobody can do better when the answer was lost, or its machine with it, or when the store did not take it.
        let isLost =
            !first.isDelivered || first.process.isCrashed || journal.hasFailed(first.process.machine, since: first.at)
        if !isLost { world.fail(.refreshReuse, "\(call) sends a refresh token for which \(first) got another one") }
    }

    /// The provider has answered.
    func answered(_ call: ProviderCall, _ response: ClientResponse) {
        flows.answered(call, response, self)
        guard let body = try? JSONValue(parsing: response.body), response.status == 200 else { return }
        travels.answered(call, body)
        for name in ["authId", "tokenId", "access_token", "refresh_token", "id_token"] {
            if let secret = body[name]?.string, !secret.isEmpty { secrets.insert(secret) }
        }
        if let session = body["tokenId"]?.string, !session.isEmpty {
            keep(session: session, of: call)
        }
        guard let access = body["access_token"]?.string, let grant = provider.grant(of: access) else { return }
        keep(
            grant.id,
            Gift(
                kind: .grant, user: grant.user, client: grant.client, level: Self.level(of: grant), at: world.now,
                call: call, statement: body["id_token"]?.string.flatMap(Statement.init)))
        grantOfToken[access] = grant.id
        judgeRaised(grant.client, call)
        if !call.isOfFlows { accessTokens.append(access) }
        if let refresh = body["refresh_token"]?.string { grantOfToken[refresh] = grant.id }
        guard let used = call.refreshToken else { return }
        // A provider that gives no other takes the same one again.
        guard body["refresh_token"] != nil else {
            return world.record.count(.fault, "the provider keeps a refresh token")
        }
        redeemed[used] = call
        broken.insert(grant.id)
    }

    /// A step-up is a flow: no renewal brings its tokens by the session.
    private func judgeRaised(_ client: String, _ call: ProviderCall) {
        guard Instance(client).isElevated, call.refreshToken == nil else { return }
        world.record.count(.check, "a grant of a step-up")
        guard let id = call.requestID, !flowRequests.contains(id) else { return }
        world.fail(.silentStepUp, "\(call) for \(id) brings tokens of \(client) that no flow has asked for")
    }

    /// How strong a sign-in was; at PingOne its policy says so.
    private static func level(of grant: LivingGrant) -> Int {
        guard Instance(grant.client).isDaVinci else { return grant.level }
        return grant.acr == Definition.strongPolicy ? Definition.elevatedLevel : 0
    }

    /// Notes what no browser may see, and no log.
    func keep(secret: String) { if secret.utf8.count >= 20 { secrets.insert(secret) } }

    /// Whether a word is one of those.
    func isSecret(_ word: String) -> Bool { word.utf8.count >= 20 && secrets.contains(word) }

    /// Keeps a session that an answer has brought.
    func keep(session: String, of call: ProviderCall) {
        let user = provider.sessions.first { $0.value == session }?.user ?? ""
        keep(session, Gift(kind: .session, user: user, client: "", level: 0, at: world.now, call: call))
    }

    /// A token goes out, to the provider or to an API: it is not one that the server has had revoked, unless a moment before.
    ///
    /// Where a commit may have no answer, or a machine go away, the revocation may be of something that was to go.
    func judgeUse(of token: String, _ place: String) {
        guard isUndisturbed, let grant = grantOfToken[token] else { return }
        world.record.count(.check, "a token that may have been revoked")
        guard let at = revoked[grant] else { return }
        if world.now - at > .seconds(15) + skew {
            world.fail(.revokedInUse, "\(place): a token of the grant \(grant), revoked \(world.now - at) before")
        }
    }

    /// Whether a request of a browser has brought a grant, later than an instant.
    func hasGrant(for request: String, after instant: Duration) -> Bool {
        gifts.values.contains { $0.kind == .grant && $0.call.requestID == request && $0.at > instant }
    }

    /// A step may bring what somebody has brought back, or say a link.
    private func judgeTravel(_ request: ClientRequest, _ call: ProviderCall) {
        travels.received(request, call)
        guard let id = call.requestID, linksElsewhere.contains(id) else { return }
        world.record.count(.check, "a link that is opened in another browser")
        for field in request.fields {
            let words = field.value.split { $0 == "=" || $0 == ";" || $0 == " " }
            let isSession = words.contains { gifts[String($0)]?.kind == .session }
            if isSession { world.fail(.linkSession, "\(call) opens a link with the session of another browser") }
        }
    }

    private func keep(_ name: String, _ gift: Gift) {
        if gifts[name] == nil { gifts[name] = gift }
        gift.call.gifts.append(name)
    }

    /// An answer has come to the machine that asked.
    func delivered(_ call: ProviderCall) {
        call.isDelivered = true
        flows.delivered(call)
        if let id = call.requestID {
            finished[id, default: []].append(world.now)
            stepsUnderWay[id] = nil
        }
        guard call.refreshToken != nil else { return }
        for name in call.gifts { broken.remove(name) }
    }

    // MARK: Questions

    /// Whether the provider answered a call for a request between two instants.
    func hasAnswered(for request: String, after first: Duration, before last: Duration) -> Bool {
        finished[request]?.contains { first < $0 && $0 < last } ?? false
    }

    /// The grant of an access or refresh token.
    func grant(of token: String) -> Gift? { grantOfToken[token].flatMap { gifts[$0] } }

    /// When the newest grant of one of these users at a client was given out; nil for none.
    func newestGrant(of users: [String], at client: String) -> Duration? {
        grants(of: users, at: client).map(\.at).max()
    }

    /// The grants of these users at a client, those included that have ended.
    func grants(of users: [String], at client: String) -> [Gift] {
        gifts.values.filter { $0.kind == .grant && $0.client == client && users.contains($0.user) }
    }

    /// Whether the provider itself may have signed a user out: a renewed token was lost on its way.
    func hasLostTokens(of user: String, at client: String) -> Bool {
        endedByProvider.contains(user) || ends.mayRefuse(user)
            || gifts.contains { $0.value.user == user && $0.value.client == client && broken.contains($0.key) }
    }
}

/// One call of a machine to the provider.
///
/// Sendable invariant: one thread, as of `World`.
final class ProviderCall: CustomStringConvertible, @unchecked Sendable {
    let process: Process
    /// The request of a browser that it is made for; nil for the server's own work.
    let requestID: String?
    let at: Duration
    /// What it is called in the trace.
    let name: String
    var refreshToken: String?
    /// The token of the page of a flow that it answers.
    var step: String?
    /// Whether that page stands after its answer.
    var isKept = false
    /// The sessions and grants that its answer carries.
    var gifts: [String] = []
    var isDelivered = false

    /// Whether it goes to PingOne.
    let isOfFlows: Bool
    let isOfMetadata: Bool

    init(_ process: Process, _ request: ClientRequest, name: String, at now: Duration) {
        (isOfFlows, isOfMetadata) = (FlowWatch.isOfFlows(request), FlowWatch.isOfMetadata(request))
        self.process = process
        self.name = name
        requestID = request.context?.id
        at = now
    }

    var description: String { "m\(process.machine) \(name)" }
}
