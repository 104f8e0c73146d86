import Basics
import JOSE
import Sessions
import StorageKit

/// Binds sessions to the devices of their browsers, and gives device cookies to those that prove their key.
///
/// Nothing is stored but the key: challenges and device cookies prove themselves by a code.
package final class Devices: Sendable {
    /// The names of the algorithms that browsers may choose from.
    package static var algorithms: [String] { DeviceKey.algorithms.map(\.rawValue) }
    /// The time in which an offer is taken up; the first device cookie lives as long.
    static let offerLife = Duration.seconds(60)
    /// A challenge outlives the device cookie that it came with by this long.
    static let challengeMargin = Duration.seconds(60)

    private let environment: Environment
    private let sessions: BrowserSessions
    private let challenges: DeviceChallenges

    init(_ sessions: BrowserSessions, _ keys: ServerKeys) {
        environment = sessions.environment
        self.sessions = sessions
        challenges = DeviceChallenges(keys)
    }

    /// True if sessions may be bound to the devices of their browsers.
    package var isOffered: Bool { environment.settings.deviceCookie != nil }

    /// An offer for a session whose user has just signed in to it.
    ///
    /// - Parameters:
    ///   - session: The session, by whatever cookie it was opened.
    ///   - wasSignedIn: True if a user was signed in before; such a session is bound then or never.
    /// - Returns: nil for no offer.
    func offer(for session: OpenedSession, wasSignedIn: Bool) -> DeviceOffer? {
        guard environment.settings.deviceCookie != nil else { return nil }
        // A thief of the cookie would bind a key of his own.
        // rule: a session is bound when its user signs in, and never later
        guard !wasSignedIn, !session.claims.isBound else { return nil }
        let grant = DeviceGrant(
            cookie: sessions.records.store.deviceCookie(of: session, for: Self.offerLife), life: Self.offerLife)
        let challenge = challenges.make(.registration, session.key, at: environment.now())
        return DeviceOffer(challenge: challenge, grant: grant)
    }

    /// Like `offer(for:wasSignedIn:)`, for a session that a sign-in without a page has created or continued.
    ///
    /// - Returns: nil for no offer, and where the store does not answer.
    func offer(forNew credential: SessionCredential, wasSignedIn: Bool) async -> DeviceOffer? {
        guard environment.settings.deviceCookie != nil, !wasSignedIn,
            let session = try? await sessions.records.open(credential, .names([credential.ticketField]))
        else { return nil }
        return offer(for: session, wasSignedIn: wasSignedIn)
    }

    /// Binds a session to the device whose key a proof brings; the first key wins.
    ///
    /// A browser whose answer was lost sends the same proof again and gets the same answer.
    ///
    /// - Parameters:
    ///   - proof: The value of `Secure-Session-Response`; nil for none.
    ///   - audience: The public address of the endpoint.
    ///   - context: The request.
    /// - Returns: The outcome.
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    package func register(
        _ proof: String?, audience: String, _ context: CallContext
    ) async throws(BFFError) -> DeviceRegistration {
        let outcome = try await registration(proof, audience: audience, context)
        switch outcome {
        case .bound: break
        case .alreadyBound, .refused: environment.work.devices.count { $0.refused += 1 }
        }
        return outcome
    }

    private func registration(
        _ proof: String?, audience: String, _ context: CallContext
    ) async throws(BFFError) -> DeviceRegistration {
        guard let proof, let life = environment.settings.deviceCookie,
            let session = try await sessions.open(context, [DeviceRecord.field, MetaRecord.field], for: .provesDevice),
            // rule: a session is bound by its newest cookie
            session.claims.status(at: environment.now()) == .current, session.claims.isSignedIn
        else { return .refused }
        let key: DeviceKey
        do throws(JOSEError) {
            let signed = try DeviceProof(proof, audience: audience)
            key = try signed.newKey()
            // rule: a session is bound to one device
            if session.claims.isBound, session.device?.key != key { return .alreadyBound }
            // rule: a device is registered right after the sign-in
            guard isValid(signed, for: .registration, session, life: Self.offerLife) else { return .refused }
            // rule: a device that is registered has the key
            try signed.verifyNewKey()
        } catch {
            return .refused
        }
        if !session.claims.isBound {
            do throws(BFFError) {
                guard try await bind(session, to: key) else { return .alreadyBound }
            } catch .signedOut {
                return .refused
            }
            environment.work.devices.count { $0.bound += 1 }
            environment.audit.write(
                .device(.bound), context,
                AuditFacts(session.key, nil, session.meta?.tokens.first?.person, more: ["alg": key.algorithm.rawValue]))
        }
        return .bound(renewal(of: session, life))
    }

    /// Writes the key into the session, unless another key is there.
    private func bind(_ session: OpenedSession, to key: DeviceKey) async throws(BFFError) -> Bool {
        try await sessions.records.edit(session) { fresh, edit throws(EditError) in
            // rule: of two registrations at once the first wins
            if fresh.claims.isBound { return fresh.device?.key == key }
            guard fresh.claims.status(at: self.environment.now()) == .current else { throw .refused(.sessionChanged) }
            try edit.put(DeviceRecord.field, DeviceRecord(key, since: self.environment.now()).encoded)
            do throws(StoreError) {
                try self.sessions.records.store.tickets.bind(fresh, &edit)
            } catch {
                throw .store(error)
            }
            return true
        }
    }

    /// Gives a device that proves its key the next device cookie.
    ///
    /// It reads the key, writes nothing, and does not count as use of the session.
    ///
    /// - Parameters:
    ///   - proof: The value of `Secure-Session-Response`; nil for none.
    ///   - audience: The public address of the endpoint.
    ///   - context: The request.
    /// - Returns: The outcome.
    /// - Throws: `.sessionChanged`, `.storeUnavailable`.
    package func refresh(
        _ proof: String?, audience: String, _ context: CallContext
    ) async throws(BFFError) -> DeviceRefresh {
        guard let life = environment.settings.deviceCookie,
            let session = try await sessions.open(context, [DeviceRecord.field, MetaRecord.field], for: .provesDevice),
            session.claims.isSignedIn
        else { return .ended }
        let now = environment.now()
        // rule: a dead cookie gets no device cookie
        guard session.claims.status != .replayOnly else { return .later }
        guard session.claims.isBound else { return unbound(session, at: now) }
        guard let device = session.device else { return .ended }
        guard let proof else { return challenged(session, at: now) }
        let signed: DeviceProof
        do throws(JOSEError) { signed = try DeviceProof(proof, audience: audience) } catch {
            return refused(session, context)
        }
        // rule: a device signs a challenge of its session that is not old
        guard isValid(signed, for: .refresh, session, life: life + Self.challengeMargin) else {
            return challenged(session, at: now)
        }
        do throws(JOSEError) {
            // rule: a device proves the key that the session is bound to
            try signed.verify(with: device.key)
        } catch {
            // The browser may have sent a proof with its key for the session before.
            if now < device.since + Self.offerLife { return .later }
            return refused(session, context)
        }
        environment.work.devices.count { $0.renewed += 1 }
        return .renewed(renewal(of: session, life))
    }

    /// A proof for a session that is not bound: the registration may be on its way, else it never comes.
    private func unbound(_ session: OpenedSession, at now: Timestamp) -> DeviceRefresh {
        let signedIn = session.meta?.tokens.map(\.signedInAt).max()
        return signedIn.map { now < $0 + Self.offerLife } == true ? .later : .ended
    }

    private func challenged(_ session: OpenedSession, at now: Timestamp) -> DeviceRefresh {
        .challenged(challenges.make(.refresh, session.key, at: now))
    }

    private func refused(_ session: OpenedSession, _ context: CallContext) -> DeviceRefresh {
        environment.work.devices.count { $0.refused += 1 }
        environment.audit.write(
            .device(.refused), context, AuditFacts(session.key, nil, session.meta?.tokens.first?.person))
        return .refused
    }

    private func isValid(
        _ proof: DeviceProof, for purpose: DeviceChallenges.Purpose, _ session: OpenedSession, life: Duration
    ) -> Bool {
        challenges.isValid(proof.challenge, for: purpose, session.key, life: life, at: environment.now())
    }

    private func renewal(of session: OpenedSession, _ life: Duration) -> DeviceRenewal {
        DeviceRenewal(
            grant: DeviceGrant(cookie: sessions.records.store.deviceCookie(of: session, for: life), life: life),
            challenge: challenges.make(.refresh, session.key, at: environment.now()))
    }
}

extension OpenedSession {
    /// The device that the session is bound to; nil for none, or where the record was not read.
    fileprivate var device: DeviceRecord? { decoded(DeviceRecord.field) }
}
