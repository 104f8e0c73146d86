import CCurl
import HTTPCore

/// One call that libcurl alone makes, from the request line to the end of the answer.
struct LibcurlCall {
    var method = HTTPMethod.get
    var address: String
    /// The field lines of the request; one without a value ends with `;`, as libcurl wants it.
    var lines: [String] = []
    var body = ""

    /// The answer as libcurl hands it over.
    final class Answer {
        fileprivate(set) var status = 0
        /// The lines of the final answer's head, without those of interim answers.
        fileprivate(set) var lines: [Line] = []
        fileprivate(set) var body: [UInt8] = []
    }

    /// Makes the call and waits for it; nil when libcurl refuses the answer.
    func perform() -> Answer? {
        guard let easy = curl_easy_init() else { return nil }
        var list: UnsafeMutablePointer<curl_slist>?
        defer {
            curl_easy_cleanup(easy)
            curl_slist_free_all(list)
        }
        // Fields that libcurl would add by itself.
        for line in ["Expect:", "Accept:", "Content-Type:"] + lines { list = curl_slist_append(list, line) }
        let answer = Answer()
        let context = Unmanaged.passUnretained(answer).toOpaque()
        let header: cloakroom_curl_data_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().note(String(decoding: line, as: UTF8.self))
            return line.count
        }
        let content: cloakroom_curl_data_callback = { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
            Unmanaged<Answer>.fromOpaque(context).takeUnretainedValue().body += piece
            return piece.count
        }
        _ = cloakroom_curl_set_string(easy, CURLOPT_URL, address)
        _ = cloakroom_curl_set_string(easy, CURLOPT_PROXY, "")
        _ = cloakroom_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
        _ = cloakroom_curl_set_long(easy, CURLOPT_TIMEOUT_MS, 60_000)
        _ = cloakroom_curl_set_pointer(easy, CURLOPT_HTTPHEADER, list)
        _ = cloakroom_curl_set_data_callback(easy, CURLOPT_HEADERFUNCTION, header)
        _ = cloakroom_curl_set_pointer(easy, CURLOPT_HEADERDATA, context)
        _ = cloakroom_curl_set_data_callback(easy, CURLOPT_WRITEFUNCTION, content)
        _ = cloakroom_curl_set_pointer(easy, CURLOPT_WRITEDATA, context)
        if method == .head {
            _ = cloakroom_curl_set_long(easy, CURLOPT_NOBODY, 1)
        } else if !body.isEmpty || [.post, .put, .patch].contains(method) {
            _ = cloakroom_curl_set_long(easy, CURLOPT_POST, 1)
            _ = cloakroom_curl_set_string(easy, CURLOPT_COPYPOSTFIELDS, body)
        }
        if method != .head { _ = cloakroom_curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method.rawValue) }
        guard curl_easy_perform(easy) == CURLE_OK else { return nil }
        var status = 0
        _ = cloakroom_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &status)
        answer.status = status
        return answer
    }
}

extension LibcurlCall.Answer {
    fileprivate func note(_ line: String) {
        if line.hasPrefix("HTTP/") { lines = [] }
        // Trailers come after the body.
        guard body.isEmpty, let colon = line.firstIndex(of: ":") else { return }
        let blanks: Set<Character> = [" ", "\t", "\r\n"]
        let value = line[line.index(after: colon)...].drop { blanks.contains($0) }
        let end = value.lastIndex { !blanks.contains($0) }.map { value.index(after: $0) } ?? value.startIndex
        lines.append(Line(name: String(line[..<colon]), value: String(value[..<end])))
    }
}
