-- The same POST without a body again and again.
wrk.method = "POST"
wrk.headers["Content-Length"] = "0"
