internal import CCurl
internal import HTTPCore

extension CurlHandle {
    /// Sets what all transfers have in common, once for a new handle.
    ///
    /// A handle is never reset: setting everything anew costs more than the transfer of a small answer.
    mutating func prepare(for engine: TransferEngine, _ settings: HTTPClientSettings, trust: TrustStore) {
        setRules(settings)
        setTLS(trust)
        set(CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
        set(CURLOPT_WRITEFUNCTION, CurlCallbacks.write)
        set(prerequest: CurlCallbacks.prerequest)
        set(closeSocket: CurlCallbacks.closeSocket)
        set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(engine).toOpaque())
        // A request's own field takes its place.
        set(CURLOPT_USERAGENT, settings.userAgent)
    }

    /// Sets everything that differs from one transfer to the next.
    mutating func prepare(for transfer: Transfer) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        set(CURLOPT_HEADERDATA, pointer: context)
        set(CURLOPT_WRITEDATA, pointer: context)
        set(CURLOPT_PREREQDATA, pointer: context)
        set(CURLOPT_URL, transfer.exchange.plan.request.url.text)
        setMethod(transfer)
        setFields(transfer)
        set(CURLOPT_FRESH_CONNECT, transfer.needsNewConnection)
    }

    private mutating func setRules(_ settings: HTTPClientSettings) {
        set(CURLOPT_NOSIGNAL, true)
        // Without this, ending a transfer whose name is still being looked up waits for the resolver and with it stops
        // every other transfer. The look-up's thread frees what it holds when it ends.
        set(CURLOPT_QUICK_EXIT, true)
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_FOLLOWLOCATION, false)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, true)
        set(CURLOPT_PATH_AS_IS, true)
        set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        set(CURLOPT_HTTP_CONTENT_DECODING, false)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
        set(CURLOPT_PROXY, settings.proxy?.origin ?? "")
        set(CURLOPT_NOPROXY, "")
        set(
            CURLOPT_CONNECTTIMEOUT_MS,
            Int(settings.connectTimeout.components.seconds * 1000)
                + Int(settings.connectTimeout.components.attoseconds / 1_000_000_000_000_000))
        set(CURLOPT_MAXAGE_CONN, Int(settings.idleTime.components.seconds))
        set(CURLOPT_MAXLIFETIME_CONN, Int(settings.connectionLifetime.components.seconds))
    }

    private mutating func setTLS(_ trust: TrustStore) {
        set(CURLOPT_SSL_VERIFYPEER, true)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        set(CURLOPT_CA_CACHE_TIMEOUT, 600)
        switch trust {
        case .file(let path):
            set(CURLOPT_CAINFO, path)
            // Else the directory of the system would be trusted besides, and parsed again for each connection.
            set(CURLOPT_CAPATH, nil as String?)
        case .libraryDefaults:
            break
        }
    }

    private mutating func setMethod(_ transfer: Transfer) {
        let plan = transfer.exchange.plan
        if plan.request.method == .head {
            set(CURLOPT_NOBODY, true)
            return
        }
        if plan.carriesBody {
            set(CURLOPT_POST, true)
            set(CURLOPT_POSTFIELDSIZE_LARGE, size: transfer.requestBody.count)
            // A null pointer would make libcurl ask a read callback for the body.
            if let body = transfer.requestBody.baseAddress {
                set(CURLOPT_POSTFIELDS, pointer: body)
            } else {
                set(CURLOPT_COPYPOSTFIELDS, "")
            }
        }
        // GET is what a cleared handle does.
        if plan.carriesBody || plan.request.method != .get {
            set(CURLOPT_CUSTOMREQUEST, plan.request.method.rawValue)
        }
    }

    private mutating func setFields(_ transfer: Transfer) {
        let fields = transfer.exchange.plan.request.fields
        var lines = FieldLines()
        for field in fields { lines.append(field) }
        // What libcurl would add by itself.
        lines.suppress("Expect")
        if !fields.contains(.accept) { lines.suppress("Accept") }
        if !fields.contains(.contentType) { lines.suppress("Content-Type") }
        transfer.fieldLines = lines.head
        set(CURLOPT_HTTPHEADER, pointer: lines.head.map { UnsafeMutableRawPointer($0) })
        if !lines.isComplete { refuse() }
    }
}
