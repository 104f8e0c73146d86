internal import EventLoop
internal import HTTPCodec
internal import HTTPCore
internal import Logs

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension TransferEngine {
    // MARK: Opening

    /// Handles a connection that is open: the request is sent.
    func opened(_ connection: CurlConnection) {
        guard let transfer = connection.transfer else { return close(connection) }
        // The timer of the deadline is due, but comes after this event.
        guard ContinuousClock.now < transfer.exchange.deadline else {
            return settle(transfer, .failure(TransportError(.timeout, wasSent: transfer.wasSent)))
        }
        begin(transfer, on: connection)
    }

    /// Handles a connection that could not be opened.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - failure: libcurl's reason; nil when the system or libcurl refused a resource.
    func failed(_ connection: CurlConnection, _ failure: CurlFailure?) {
        guard let transfer = connection.transfer else { return close(connection) }
        guard let failure else { return fail(transfer, "no connection from libcurl") }
        giveUp(transfer, failure.failure, ["code": "\(failure.code)"])
    }

    /// Handles a socket that cannot be watched while its connection is opened.
    func cannotWatch(_ error: EventThreadError) {
        logger.error("cannot watch a socket", metadata: ["error": "\(error)"])
    }

    // MARK: Sending

    /// Sends the request of an exchange on a connection that is ready for it.
    func begin(_ transfer: Transfer, on connection: CurlConnection) {
        do throws(ExchangeError) {
            try transfer.prepare(agent, throughProxy: settings.proxy != nil)
        } catch {
            return fail(transfer, "a part of it cannot be written", error)
        }
        let stream = transfer.exchange.stream
        connection.reader.begin(transfer.plan.request.method, bodyLimit: stream == nil ? nil : .max)
        if let stream {
            transfer.noteProgress()
            if transfer.idleTimer == nil { watchIdleTime(transfer) }
            // A time of zero has ended the exchange.
            guard connection.transfer === transfer else { return }
            stream.open()
        }
        send(transfer, on: connection)
    }

    /// Sends bytes of an upload that have come meanwhile.
    func uploadReady(_ exchange: ClientExchange) {
        guard let transfer = transfer(of: exchange), transfer.awaitsUpload, let connection = transfer.connection else {
            return
        }
        transfer.noteProgress()
        send(transfer, on: connection)
        startWaiting()
    }

    /// Ends a streamed exchange whose upload failed.
    func uploadFailed(_ exchange: ClientExchange) {
        guard let transfer = transfer(of: exchange) else { return }
        giveUp(transfer, .invalidRequest, ["check": "upload"])
        startWaiting()
    }

    /// Ends a stream whose peer was waited for too long, and looks again later otherwise.
    private func watchIdleTime(_ transfer: Transfer) {
        let now = ContinuousClock.now
        if transfer.isHeldBack || transfer.awaitsUpload { transfer.noteProgress() }
        let due = transfer.progress + transfer.exchange.idleTime
        // rule: the peer of a stream does something in time
        guard now < due else {
            giveUp(transfer, .timeout, ["check": "idle"])
            return startWaiting()
        }
        transfer.idleTimer = loop?.schedule(at: due) { _ in self.watchIdleTime(transfer) }
    }

    /// Sends what is left; a peer that reads nothing is waited for until the deadline.
    private func send(_ transfer: Transfer, on connection: CurlConnection) {
        let sent = transfer.send(on: connection)
        if sent == .failed { return ended(transfer, connection, isClean: false) }
        guard watch(connection, of: transfer, for: sent == .waitsForRoom ? [.readable, .writable] : .readable) else {
            return
        }
        if sent == .all { connection.reader.requestWritten() }
    }

    /// Changes what the socket is watched for; false if that fails, which ends the exchange.
    @discardableResult
    private func watch(
        _ connection: CurlConnection, of transfer: Transfer, for interest: DescriptorReadiness
    ) -> Bool {
        do throws(EventThreadError) {
            try connection.watch(for: interest)
            return true
        } catch {
            cannotWatch(error)
            settle(transfer, .failure(TransportError(.refusedLocally, wasSent: true)))
            return false
        }
    }

    // MARK: Receiving

    /// Handles a socket that is ready.
    func ready(_ connection: CurlConnection, _ ready: DescriptorReadiness) {
        guard let transfer = connection.transfer else { return idleReady(connection) }
        if ready.contains(.writable) { send(transfer, on: connection) }
        if ready.contains(.readable), connection.transfer === transfer { receive(transfer, on: connection) }
        startWaiting()
    }

    /// Reads what has arrived, at most half a megabyte at a time, so that no peer keeps the others waiting.
    private func receive(_ transfer: Transfer, on connection: CurlConnection) {
        for _ in 0..<32 {
            let received = connection.receive(into: memory)
            switch received {
            case .wouldBlock: return finish(transfer, connection)
            case .end, .failed:
                var isEnd = false
                if case .end = received { isEnd = true }
                return ended(transfer, connection, isClean: isEnd)
            case .bytes(let count):
                transfer.noteProgress()
                let bytes = UnsafeRawBufferPointer(rebasing: memory[..<count])
                let refusal = read(transfer, connection, bytes)
                if let base = memory.baseAddress { explicit_bzero(base, count) }
                if let refusal { return refused(transfer, refusal) }
                if let stream = transfer.exchange.stream, !connection.reader.isComplete, stream.holdsBack() {
                    return holdBack(transfer, connection)
                }
                if connection.reader.refusal != nil || !connection.holdsBytes && count < memory.count {
                    return finish(transfer, connection)
                }
            }
        }
        // Bytes that libcurl holds do not make the socket readable again.
        _ = loop?.schedule(at: .now) { _ in
            guard connection.transfer === transfer, !transfer.isHeldBack else { return }
            self.receive(transfer, on: connection)
            self.startWaiting()
        }
    }

    /// Leaves what the peer sends in the socket until the reader of the answer wants more.
    private func holdBack(_ transfer: Transfer, _ connection: CurlConnection) {
        transfer.isHeldBack = true
        if giveHead(transfer, connection) { watch(connection, of: transfer, for: []) }
    }

    /// Reads on after the reader of the answer has taken what there was.
    func resumeReading(_ exchange: ClientExchange) {
        guard let transfer = transfer(of: exchange), transfer.isHeldBack, let connection = transfer.connection else {
            return
        }
        transfer.isHeldBack = false
        transfer.noteProgress()
        guard watch(connection, of: transfer, for: .readable) else { return startWaiting() }
        receive(transfer, on: connection)
        startWaiting()
    }

    private func read(
        _ transfer: Transfer, _ connection: CurlConnection, _ bytes: UnsafeRawBufferPointer
    ) -> HTTPCodecError? {
        do throws(HTTPCodecError) {
            _ = try transfer.read(bytes, by: &connection.reader)
            return nil
        } catch {
            return error
        }
    }

    /// Handles the end of a connection, in order or not.
    private func ended(_ transfer: Transfer, _ connection: CurlConnection, isClean: Bool) {
        do throws(HTTPCodecError) {
            try connection.reader.end(isClean: isClean)
        } catch {
            // rule: a request whose answer has begun is not repeated
            guard error == .closedBeforeAnswer else { return refused(transfer, error) }
            guard transfer.canRepeat(on: connection) else { return refused(transfer, error) }
            close(connection)
            transfer.startOver()
            return connect(transfer)
        }
        finish(transfer, connection)
    }

    private func refused(_ transfer: Transfer, _ refusal: HTTPCodecError) {
        giveUp(transfer, ExchangeError(refusal), ["check": .string(refusal.rawValue)])
    }

    /// Ends the exchange without a usable answer, and logs the problem with the facts in `detail`.
    private func giveUp(_ transfer: Transfer, _ failure: ExchangeError, _ detail: Logger.Metadata) {
        var facts = transfer.plan.facts(detail)
        facts["problem"] = .string(failure.rawValue)
        facts["sent"] = "\(transfer.wasSent)"
        logger.debug("request without a usable answer", metadata: facts)
        settle(transfer, .failure(TransportError(failure, wasSent: transfer.wasSent)))
    }

    /// Ends the exchange if its answer is complete; its connection is kept if nothing speaks against it.
    private func finish(_ transfer: Transfer, _ connection: CurlConnection) {
        guard giveHead(transfer, connection), connection.reader.isComplete else { return }
        let response: ClientResponse
        do throws(ExchangeError) {
            // The task of a stream has its head.
            response = try transfer.hasHead ? ClientResponse(status: 200) : transfer.answer(connection.reader.head)
        } catch {
            return giveUp(transfer, error, ["check": "field-name"])
        }
        // rule: a connection that cannot carry another request is not kept
        if connection.reader.canBegin { keep(connection) }
        settle(transfer, .success(response))
    }

    /// Gives the head of a stream to its task, once.
    ///
    /// - Returns: False if the head cannot be handed on, which ends the exchange.
    private func giveHead(_ transfer: Transfer, _ connection: CurlConnection) -> Bool {
        guard transfer.exchange.stream != nil, !transfer.hasHead, let head = connection.reader.head else { return true }
        do throws(ExchangeError) {
            transfer.exchange.resume(.success(try transfer.answer(head)))
            transfer.hasHead = true
            return true
        } catch {
            giveUp(transfer, error, ["check": "field-name"])
            return false
        }
    }
}
