internal import BFF
internal import HTTPServer

extension BrowserAPI {
    /// `GET events`.
    func streamEvents(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        // A value that a browser did not send counts as unknown, like an id of a former version.
        let sent = call.request.headers.first("last-event-id")
        let lastEventID = sent.flatMap { $0.isEmpty ? nil : $0 }
        let place: EventPlace
        do {
            // rule: opening streams is limited like calls to APIs, because each writes to the store
            try rates.checkCall(call.request, call.cookies)
            place = try shares.openStream(call.request)
        } catch {
            // A browser never connects again after another status than 200.
            guard lastEventID != nil else { throw error }
            return .events { writer in try await writer.write(EventDocument.text([.end(.busy)], nil)) }
        }
        let opening = try await asking(call) { () throws(BFFError) in
            try await backend.events.open(call.context(), lastEventID: lastEventID)
        }
        switch opening {
        case .nothing: return .empty([])
        case .ended(let end):
            return .events { writer in
                try await writer.write(EventDocument.retry + EventDocument.text([.end(end)], end.eventID))
            }
        case .stream(let stream):
            return .events { writer in
                try await writer.write(EventDocument.retry)
                // `write` returns when the client has taken all but 64 KiB, and the listener hangs up on one that stands still.
                try await stream.run { events, id in try await writer.write(EventDocument.text(events, id)) }
                withExtendedLifetime(place) {}
            }
        }
    }
}
