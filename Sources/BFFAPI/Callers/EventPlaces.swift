internal import Basics
internal import HTTPServer

/// Counts the event streams that are open, of all callers and by address.
///
/// A stream is held open for minutes, so its limits are its own; like calls to APIs, streams of a listed proxy that
/// names no address count for all callers alone.
final class EventPlaces: Sendable {
    private struct State {
        var count = 0
        var peers: [UInt64: Int] = [:]
    }

    private let limits: CallerLimits
    private let trusted: [AddressRange]
    private let state: Locked<State>

    /// - Parameters:
    ///   - settings: The limits.
    ///   - former: The places of the previous settings, whose streams still count; nil at the start.
    init(_ settings: APISettings, after former: EventPlaces? = nil) {
        limits = settings.callerLimits
        trusted = settings.trustedPeers
        state = former?.state ?? Locked(State())
    }

    /// Takes the place of one stream, which is given back when its last reference goes.
    ///
    /// - Throws: `.tooManyRequests` when the address has as many streams as it may; `.busy` when all callers together
    ///   have.
    func take(_ request: ServerRequest) throws(Problem) -> EventPlace {
        let peer = CallerShares.peer(of: request, trusting: trusted)
        let refusal = state.withLock { state -> CallerShares.Refusal? in
            if let peer, limits.eventsPerPeer > 0, state.peers[peer, default: 0] >= limits.eventsPerPeer {
                return .caller
            }
            guard state.count < limits.events else { return .server }
            state.count += 1
            if let peer { state.peers[peer, default: 0] += 1 }
            return nil
        }
        switch refusal {
        case nil: return EventPlace(self, peer)
        case .caller: throw Self.problem(.tooManyRequests, "Too many event streams are open from this address.")
        case .server: throw Self.problem(.busy, "Too many event streams are open.")
        }
    }

    private static func problem(_ type: ProblemType, _ detail: StaticString) -> Problem {
        var problem = Problem(type, detail)
        problem.retryAfter = .seconds(30)
        return problem
    }

    fileprivate func giveBack(_ peer: UInt64?) {
        state.withLock { state in
            state.count -= 1
            guard let peer else { return }
            let left = (state.peers[peer] ?? 0) - 1
            state.peers[peer] = left > 0 ? left : nil
        }
    }
}

/// The place of one event stream; its last reference gives the place back.
final class EventPlace: Sendable {
    private let places: EventPlaces
    private let peer: UInt64?

    fileprivate init(_ places: EventPlaces, _ peer: UInt64?) {
        self.places = places
        self.peer = peer
    }

    deinit {
        places.giveBack(peer)
    }
}
