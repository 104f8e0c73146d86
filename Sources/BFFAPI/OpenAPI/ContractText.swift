// swift-format-ignore-file
// Written by scripts/embed-contract from the files in openapi: change those and run `make openapi`.

/// The contract, byte for byte.
enum ContractText {
    static let yaml = ####"""
openapi: 3.1.0
info:
  title: Cloakroom
  version: '1'
  license: { name: Apache 2.0, identifier: Apache-2.0 }
  description: |
    A single-page app signs its users in with Ping Journeys and DaVinci flows through these calls. Cloakroom runs them, keeps the
    provider session and the tokens, and gives the browser one opaque cookie.

    Every call under `/bff` carries the header field `X-CSRF`, reads included. These do not: `go` and `return`, which are pages;
    `events`; and the calls of the browser itself (`device`, `device/refresh`) and of the provider (`backchannel-logout`).
    Answers are JSON whatever `Accept` says. What is refused or fails is a problem document (RFC 9457) whose `type` is an
    address of the server: `GET /problems/{name}` shows title, status and detail, as HTML, or as JSON where `Accept` asks
    for that; it takes no `X-CSRF`. `GET` operations answer `HEAD` too, but for `go`, `return` and `events`.

    Besides these operations a server passes calls on to the APIs of its configuration, with the token of the browser's
    session. Such calls carry that header field too; `X-BFF-Account` names the account, absent for the default one.
    What the server itself refuses about them is a problem document too, `step-up-required` for instance.

    For clients that `server.pingCompatibility` lists, a server also speaks the protocols of Ping's clients for JavaScript,
    below `/bff/{instance}/am` and `/bff/{instance}/davinci`. Those documents are Ping's, and not part of this one.

    A newer server may send members, callback and collector types, problem types and reasons that are not in this document; lists of
    names that grow are marked `x-extensible-enum`. A body that may be left out may be `null` or `[]` too, as generated clients
    send it, and its members may be `null`.

    Lengths of texts in requests are counted in bytes of UTF-8: one that fits its `maxLength` in characters may still be
    too long. Texts of `start` and `resume`, and `flow` and `action` of `next`, have no control characters; `values` may.
servers:
  - url: /
    description: The public address of the server.
tags:
  - { name: flows, description: Signing in. }
  - { name: user, description: Who is signed in. }
  - { name: logout, description: Signing out. }
  - { name: device, description: Binding the session to the device of its browser. }
  - { name: api, description: The APIs behind the routes of the configuration. }
  - { name: contract, description: This document. }
  - { name: passkeys, description: Documents at addresses that browsers and password managers know. }
security:
  - cookie: []
  - startCookie: []
  - {}

paths:
  /bff/session:
    get:
      operationId: getSession
      tags: [user]
      summary: The instances of this browser
      description: |
        Answers 200 also when nothing is signed in, and never extends the session. A cookie that was replaced a moment ago
        may get 409 `session-changed`. `instances` lists every client for the default account, and for other accounts the
        clients that have something to show. Each says how many flows are under way, and names none of them: a flow's id
        is told only in that flow's own answers, to the tab that began it.
      parameters:
        - $ref: '#/components/parameters/csrf'
      responses:
        '200':
          description: The instances and the seconds left.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Session' }
              examples:
                signedOut:
                  value:
                    authenticated: false
                    accounts: []
                    instances:
                      - { instance: standard, client: standard, account: null, kind: journey, state: none,
                          subject: null, tokenExpiresIn: null, providerSession: false, flows: 0 }
                    expiresIn: null
                signedIn:
                  value:
                    authenticated: true
                    accounts: ['', alice]
                    instances:
                      - { instance: standard, client: standard, account: null, kind: journey, state: in-progress,
                          subject: null, tokenExpiresIn: null, providerSession: false,
                          flows: 1 }
                      - { instance: 'standard:alice', client: standard, account: alice, kind: journey,
                          state: authenticated, subject: (usr!alice), tokenExpiresIn: 3599, providerSession: true,
                          flows: 0 }
                    expiresIn: { idle: 1799, absolute: 28799 }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/events:
    get:
      operationId: streamEvents
      tags: [user]
      summary: Changes of the session while they happen
      description: |
        A stream of server-sent events for a signed-in session, for `EventSource`. It never extends the session. In place of
        the header field, `Sec-Fetch-Site: same-origin` or the `Origin` of an accepted page suffices. `HEAD` is not answered.

        The first event, `state`, says who is signed in: `{"instances": ["standard"], "expiresIn": {"idle": 1799, "absolute":
        28799}, "unchanged": false}`. With the `Last-Event-ID` of an earlier stream, events for what has changed since follow.
        Then come, each with the `instance` that it is about: `signed-in`; `stepped-up` for a newer sign-in; `refreshed` with
        `tokenExpiresIn`; `signed-out` with the `reason` `idle`, `absolute` or `ended`, or null; `expiring` with the `limit`
        `idle` or `absolute` and the seconds that it leaves in `expiresIn`, two minutes before or at half of a shorter limit.

        The last event is `end` with a `reason`: `signed-out` with a `cause`; `replaced` by a newer stream of the session,
        which has one; `session-changed` by a sign-in, whose cookie opens the next stream; `time` after five minutes;
        `stopping`; `busy`; or `unavailable`. Browsers connect again by themselves. After `signed-out` and `replaced` they get 204 then,
        which stops them. A client that connects again with a cookie that opens nothing gets a stream of one `end`.
      parameters:
        - $ref: '#/components/parameters/streamCsrf'
        - name: Last-Event-ID
          in: header
          required: false
          description: The id of the last event; browsers send it when they connect again. Any other text is no error.
          schema: { type: string }
      responses:
        '200':
          description: The events.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            text/event-stream:
              schema: { type: string }
              examples:
                state:
                  value: "retry: 2000\n\nid: 1.Hn2cP0sVq3T8yw\nevent: state\ndata: {\"instances\":[\"standard\"],\"expiresIn\":{\"idle\":1800,\"absolute\":28800},\"unchanged\":false}\n\n"
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/start:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: startFlow
      tags: [flows]
      summary: Begins a flow
      description: |
        The answer is the first page of the journey, or its end: a provider session that lives already may sign the user
        in at once. Makes a session for a browser that has none, with the cookie `startCookie`. A sign-in gives the session a
        new cookie, unless the session was signed in already and gets no more than it had. Journeys, acr values and
        parameters are allow-listed in the client's configuration; `prompt` and `loginHint` of a journey are 422, as are
        `journey`, `forceAuth` and `noSession` of a DaVinci flow. With `for` or `transaction` it is 401 `signed-out` when nobody is signed in. At most `session.flowsPerInstance` flows of an instance,
        five unless said, run at once: the oldest idle one goes.
      requestBody:
        required: false
        content:
          application/json:
            schema: { $ref: '#/components/schemas/StartRequest' }
            examples:
              default: { value: {} }
              again: { value: { journey: Login, forceAuth: true, uiLocales: [en-GB, en] } }
              stepUp: { value: { for: high-value } }
              transaction: { value: { transaction: 8f14e45f-ceea-467f-a8e2-0c6b1d2e3a4f } }
      responses:
        '200': { $ref: '#/components/responses/FlowNode' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '422': { $ref: '#/components/responses/Unprocessable' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/next:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: answerStep
      tags: [flows]
      summary: Answers a step
      description: |
        A step is sent to the provider once. The same bytes again get the same answer for a minute; another answer to a
        step that was answered is 409 `stale-step` with the node that the flow shows now. A sign-in gives the session a new
        cookie.

        A page with a `PollingWaitCallback` or `PollingCollector` waits for something that the user does elsewhere. To poll is to send its id as
        `action`, without values. While the wait goes on the answer is the page again, with the same `step`, and nothing of it
        is remembered; `Retry-After` says when to poll again, to the millisecond `nextPollIn`. An earlier poll gets the page
        as it is, and the provider is not asked. With `wait` the request is held: it asks the provider whenever that is due,
        and is answered when the page changes or the time is up. Two requests of a session are held at once; a third one is
        answered as if it had no `wait`. Another answer, such as the page's exit, may be sent at any time, and
        a request that is held then gets what the flow shows next.

        With `confirm` a sign-in is confirmed that 409 `subject-changed` asks about: it takes the place of the users who are
        signed in. When others are signed in by then, the problem comes again with the next `step`.
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/NextRequest' }
            examples:
              password:
                value:
                  flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                  step: 1
                  values: { IDToken1: demo, IDToken2: 'Ch4ng3it!' }
              poll:
                value: { flow: f_6Hq0mXr1Tn3bZs8cVd2wEg, step: 2, action: PollingWaitCallback-0, wait: 25 }
              confirm:
                value: { flow: f_6Hq0mXr1Tn3bZs8cVd2wEg, step: 3, confirm: true }
              form:
                value:
                  flow: f_Kd82mQx0Yb7cVn4sTz1rPw
                  step: 1
                  action: SIGNON
                  values: { username: demo, password: 'Ch4ng3it!' }
      responses:
        '200': { $ref: '#/components/responses/FlowNode' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '410': { $ref: '#/components/responses/FlowExpired' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '422': { $ref: '#/components/responses/Unprocessable' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/resume:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: resumeFlow
      tags: [flows]
      summary: Goes on with a flow whose user has come back, or with a link that was opened
      description: |
        With `handle`, from the `#resume=` that `return` leads to, and `flow`, which the tab that left keeps in its
        sessionStorage: the page that sent the user away goes to the provider with what they brought, once. The same handle
        again gets the same answer for a minute; in another browser, session, instance, flow or time it is 409
        `no-pending-return`, which spends nothing. With `suspendedId` or `uri`: a journey that waited for a link goes on, which
        spends the link; call it when the user has clicked, because programs open links too. Where a flow of the instance
        waits for a link in this browser it goes on; anywhere else it is a new flow with `crossBrowser`, on its pages and its
        success, which builds upon nothing that this browser has. A link takes the place of another user only when that is
        confirmed, whatever the flow that waits was begun with: 409 `subject-changed` has `confirm`, here or after the pages
        of the journey. A DaVinci client opens no links: both are 422 `not-allowed`.
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/ResumeRequest' }
            examples:
              link: { value: { suspendedId: eyJ0eXAiOiJKV1QifQ.e30.x } }
              uri: { value: { uri: 'https://app.example.com/mail?realm=/alpha&suspendedId=eyJ0eXAiOiJKV1QifQ.e30.x' } }
      responses:
        '200': { $ref: '#/components/responses/FlowNode' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '422': { $ref: '#/components/responses/Unprocessable' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/go/{handle}:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - name: handle
        in: path
        required: true
        description: As in the `go` of a question.
        schema: { type: string, pattern: '^[^\x00-\x1f\x7f/\\%]+$' }
    get:
      operationId: leave
      tags: [flows]
      summary: Sends the user of a flow to another site
      description: |
        A page that the browser opens, no call: it takes no `X-CSRF`. What is no such page is 403 and spends nothing: a
        prefetch (`Sec-Purpose`, `Purpose`), an image, a frame or a script's request (`Sec-Fetch-Dest`, `Sec-Fetch-Mode`), a navigation that
        another site began or a page of the same site whose origin, as `Referer` has it, is not listed (`Sec-Fetch-Site`). The
        handle counts once, while its page is shown; one that was used, or is of another page or session, leads back to the
        application with `#return=expired`, and `GET flows/{flow}` has a fresh one. Sets the cookie `__Host-Http-cloakroom-return` (`SameSite=Lax`, ten
        minutes), by which the browser is known when it comes back.
      security: [{ cookie: [] }, { startCookie: [] }, {}]
      responses:
        '200':
          description: A page that posts a form to the other site, by itself or with a button.
          headers:
            X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
            Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
          content:
            text/html; charset=utf-8:
              schema: { type: string }
              examples:
                form:
                  value: '<!doctype html>'
        '303': { $ref: '#/components/responses/Elsewhere' }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{client}/return:
    parameters:
      - name: client
        in: path
        required: true
        description: A client of the configuration.
        schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,32}$' }
    get:
      operationId: comeBack
      tags: [flows]
      summary: Takes in a browser that comes back from another site
      description: |
        The address that the other site leads back to: `publicUrl` and this path. Of the query the parameters count that the
        provider knows, at most 8 KiB; one of them twice is 400. Leads to the flow's `returnTarget` with
        `#resume=<handle>` for `resume`, or with `#return=no-pending-return` where nobody is waited for. Knows its browser by
        the cookie of `go` alone, for which what came is sealed into the handle; stores nothing, and spends no departure.
      security: [{}]
      responses:
        '303': { $ref: '#/components/responses/Elsewhere' }
        '400': { $ref: '#/components/responses/Malformed' }
        '404': { $ref: '#/components/responses/NotFound' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }
    post:
      operationId: comeBackByForm
      tags: [flows]
      summary: Takes in a browser that comes back with a form
      description: |
        The same names in a form (`form_post`). With a form of another site browsers send no cookie: it is answered by a page
        that posts these names once more, from this origin; nothing of it is kept. A `SAMLResponse` is 400: it belongs to the
        provider's own address.
      security: [{}]
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, additionalProperties: { type: string } }
      responses:
        '200':
          description: The page that posts the form once more.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            text/html; charset=utf-8:
              schema: { type: string }
              examples:
                form:
                  value: '<!doctype html>'
        '303': { $ref: '#/components/responses/Elsewhere' }
        '400': { $ref: '#/components/responses/Malformed' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/flows/{flow}:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/flow'
      - $ref: '#/components/parameters/csrf'
    get:
      operationId: getFlow
      tags: [flows]
      summary: The node that a flow shows now
      description: |
        Lets a page that was reloaded go on, with the flow's id from its own `sessionStorage`. Asks the provider nothing.
        Whoever knows the id and has the session's cookie can answer the flow: keep it in the tab, and in no address or log.
        A tab that lost it begins anew.
      responses:
        '200': { $ref: '#/components/responses/FlowNode' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '410': { $ref: '#/components/responses/FlowExpired' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }
    delete:
      operationId: cancelFlow
      tags: [flows]
      summary: Cancels a flow
      description: A flow that is gone already counts as cancelled.
      responses:
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/user:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    get:
      operationId: getUser
      tags: [user]
      summary: Subject, claims and facts about the token
      description: |
        Renews the token first when its end is near. An instance without tokens gets them by its provider session, once,
        unless its client has `minimum` or `limits`. Extends the idle time of the session.
      parameters:
        - name: refresh
          in: query
          description: With `true`, reads the claims from the provider again.
          schema: { type: string, enum: ['true', 'false'] }
      responses:
        '200': { $ref: '#/components/responses/User' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/token/refresh:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: refreshToken
      tags: [user]
      summary: Renews the token now
      description: |
        Calls at the same time, from any tab, share one renewal. Answers like `user`.
      requestBody: { $ref: '#/components/requestBodies/Empty' }
      responses:
        '200': { $ref: '#/components/responses/User' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/token/revoke:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: revokeToken
      tags: [user]
      summary: Revokes and forgets the tokens
      description: |
        The provider session stays: the next `start` may sign in without asking. The tokens are forgotten here whatever the
        provider does. 204 says that it took the revocation, or that there was nothing to revoke; 200 says that it did not:
        with `pending` the revocation is tried again until the tokens end by themselves, without it they stay good there,
        as at a provider that has no revocation.
      requestBody: { $ref: '#/components/requestBodies/Empty' }
      responses:
        '200': { $ref: '#/components/responses/NotRevoked' }
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/logout:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: logoutInstance
      tags: [logout]
      summary: Signs an instance out
      description: |
        An instance with a token storage of its own in a shared provider session loses its tokens only. Otherwise, or with
        `session: true`, or when it is the last one, the provider session ends with the tokens of every instance that
        shares it. The answer does not wait for the provider. With a cookie that another tab's sign-in has replaced it is 409
        `session-changed`, and ends and undoes nothing: repeated, it goes with the new cookie.
      requestBody:
        required: false
        content:
          application/json:
            schema: { $ref: '#/components/schemas/LogoutRequest' }
            examples:
              default: { value: {} }
              everything: { value: { session: true } }
      responses:
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/logout:
    parameters:
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: logoutBrowser
      tags: [logout]
      summary: Signs the browser or one account out
      description: |
        Provider sessions and tokens end too; the answer does not wait for the provider. Without `account` a cookie that another
        tab's sign-in has just replaced ends everything too, what the new one holds included; with `account` it is 409
        `session-changed`.
      parameters:
        - name: account
          in: query
          description: The account; empty for the default one. Without it everything ends.
          schema: { type: string, maxLength: 128, pattern: '^[^\x00-\x1f\x7f-\x9f/\\%]*$' }
      requestBody: { $ref: '#/components/requestBodies/Empty' }
      responses:
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '409': { $ref: '#/components/responses/Conflict' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{client}/backchannel-logout:
    parameters:
      - name: client
        in: path
        required: true
        description: A client of the configuration.
        schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,32}$' }
    post:
      operationId: takeLogoutToken
      tags: [logout]
      summary: Takes a logout token of the provider
      description: |
        OpenID Connect Back-Channel Logout 1.0, for a provider and not for browsers: no cookie, no `X-CSRF`. Ends the sign-ins
        with the provider session `sid`, or all sign-ins of `sub`, at every process, also those under way. 200 says that they
        are ended; 503 that the provider should send the token again.
      security: [{}]
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { $ref: '#/components/schemas/LogoutTokenForm' }
      responses:
        '200':
          description: The sign-ins are ended, or there were none.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { type: object, additionalProperties: false }
              examples: { ended: { value: {} } }
        '400': { $ref: '#/components/responses/LogoutTokenRefused' }
        '404': { $ref: '#/components/responses/NotFound' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '415': { $ref: '#/components/responses/UnsupportedMediaType' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/device:
    post:
      operationId: bindDevice
      tags: [device]
      summary: Binds the session to the device of its browser
      description: |
        For browsers and not for pages, where `session.deviceBinding` is `offer`: no `X-CSRF`, no body. A browser calls it by
        itself within a minute of a sign-in, with the proof in `Secure-Session-Response` (Device Bound Session Credentials).
        The first registration of a session wins.
      responses:
        '200':
          description: The session is bound; the device cookie is set.
          headers:
            X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
            Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
            Secure-Session-Challenge: { $ref: '#/components/headers/Secure-Session-Challenge' }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/DeviceBinding' }
              examples:
                bound:
                  value:
                    session_identifier: cloakroom-abrd3k1YKLr_DPNt
                    refresh_url: /bff/device/refresh
                    scope:
                      origin: https://app.example.com
                      include_site: false
                      scope_specification:
                        - { type: exclude, path: / }
                        - { type: include, path: /bff }
                        - { type: include, path: /api }
                    credentials:
                      - { type: cookie, name: __Host-cloakroom-device,
                          attributes: Path=/; Secure; HttpOnly; SameSite=Strict }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/device/refresh:
    post:
      operationId: proveDevice
      tags: [device]
      summary: Proves the device, and gets the next device cookie
      description: |
        For browsers and not for pages, like `bindDevice`. Without a proof, or with one of an old challenge, the answer is 403
        with the challenge to sign. Does not extend the session.
      responses:
        '200':
          description: There is no such session any more; the browser forgets the binding.
          headers:
            X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
            Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/DeviceBinding' }
              examples:
                ended: { value: { session_identifier: cloakroom-abrd3k1YKLr_DPNt, continue: false } }
        '204':
          description: The device is proven; the device cookie is set.
          headers:
            X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
            Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
            Secure-Session-Challenge: { $ref: '#/components/headers/Secure-Session-Challenge' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/sessions:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - $ref: '#/components/parameters/csrf'
    get:
      operationId: listSessions
      tags: [user]
      summary: The sessions in which the user is signed in
      description: |
        The newest 256 sessions of the instance's user, this one among them, oldest first. Does not extend the session.
      responses:
        '200':
          description: The sessions.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/SessionList' }
              examples:
                two:
                  value:
                    sessions:
                      - { id: 0hZ4nUq1Jr7xE2yKc5vWbA, current: false, begun: 1767254400, lastUsed: 1767256200,
                          expires: 1767258000, device: null,
                          signIns: [{ client: standard, account: null, signedInAt: 1767254400, authenticatedAt: 1767254399 }] }
                      - { id: Yb3sT9dLw6kPmQ8fRgXo1A, current: true, begun: 1767256800, lastUsed: 1767256800,
                          expires: 1767258600, device: null,
                          signIns: [{ client: standard, account: null, signedInAt: 1767256800, authenticatedAt: 1767256800 }] }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }
    delete:
      operationId: endOtherSessions
      tags: [logout]
      summary: Signs the user out of all other sessions
      description: |
        Other users in the same browsers stay signed in. With `session.endRequirement` the user has to meet that requirement:
        403 `step-up-required` says how. Tokens are not revoked at the provider, because only their own cookie opens them.
      responses:
        '200':
          description: The number of sessions in which the user was signed out.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/EndedSessions' }
              examples: { one: { value: { ended: 1 } } }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/sessions/{sessionId}:
    parameters:
      - $ref: '#/components/parameters/instanceName'
      - name: sessionId
        in: path
        required: true
        description: The `id` of a session in the list.
        schema: { type: string, pattern: '^[^\x00-\x1f\x7f/\\%]+$' }
      - $ref: '#/components/parameters/csrf'
    delete:
      operationId: endSession
      tags: [logout]
      summary: Signs the user out of another session
      description: |
        Like the call for all other sessions. An id that is not in the list, or that of this session, is 404
        `unknown-session`; this session ends by `logout`.
      responses:
        '204': { $ref: '#/components/responses/Done' }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '502': { $ref: '#/components/responses/ProviderRefused' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /openapi.yaml:
    get:
      operationId: getContract
      tags: [contract]
      summary: This document
      security: []
      responses:
        '200':
          description: This document, with the base path and the header field of this server.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/yaml:
              schema: {}
              examples: { beginning: { value: "openapi: 3.1.0\n" } }
        '400': { $ref: '#/components/responses/Malformed' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /.well-known/webauthn:
    get:
      operationId: getRelatedOrigins
      tags: [passkeys]
      summary: The origins that may use passkeys of this host
      description: |
        Browsers fetch this document when a page of another site names this host as its relying party. 404 unless
        `server.webAuthn.relatedOrigins` is set.
      security: []
      responses:
        '200':
          description: The origins of the settings.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/RelatedOrigins' }
              examples: { two: { value: { origins: [https://shop.example.net, https://www.example.org] } } }
        '400': { $ref: '#/components/responses/Malformed' }
        '404': { $ref: '#/components/responses/NotFound' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /.well-known/passkey-endpoints:
    get:
      operationId: getPasskeyEndpoints
      tags: [passkeys]
      summary: The app's pages for passkeys
      description: |
        Password managers fetch this document to offer a passkey in place of a password. 404 unless one of
        `server.passkeyEndpoints` is set.
      security: []
      responses:
        '200':
          description: The addresses of the settings.
          headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
          content:
            application/json:
              schema: { $ref: '#/components/schemas/PasskeyEndpoints' }
              examples:
                both:
                  value: { enroll: 'https://app.example.com/passkeys/new', manage: 'https://app.example.com/passkeys' }
        '400': { $ref: '#/components/responses/Malformed' }
        '404': { $ref: '#/components/responses/NotFound' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /api/{path}:
    parameters:
      - name: path
        in: path
        required: true
        description: The rest of the path, below a route of the configuration; it may have any number of segments.
        schema: { type: string, pattern: '^[^\x00-\x1f\x7f/\\%]+$' }
      - name: X-BFF-Account
        in: header
        description: The account that the call is made for, percent-encoded; absent for the default one.
        schema: { type: string, pattern: '^[!-~]*$' }
      - $ref: '#/components/parameters/csrf'
    get:
      tags: [api]
      summary: A call to an API behind a route of the configuration, with any method that the route lists
      description: |
        The paths are those of the configuration; `/api` stands for them. The API's own answer comes back with its status,
        whatever that is but 1xx, 101, 401 and 407. It never has `X-BFF-Problem`, which every problem of the server has:
        only that field tells a problem of the server from one of the API. What the server itself refuses or cannot do
        about a call has one of the statuses below; it is never 409: a call that a change of the session cookie overtakes
        goes out with the token from before, or is a 503 `interrupted` with `Retry-After`. 400 is, besides what cannot be
        read, a path that APIs may read in two ways, and a GET, HEAD or DELETE with a body where the route does not take
        one.
      responses:
        2XX: { description: The API's answer. }
        3XX: { description: The API's answer; a redirect within the route. }
        '400': { $ref: '#/components/responses/Malformed' }
        '401': { $ref: '#/components/responses/SignedOut' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '405': { $ref: '#/components/responses/Problem' }
        '408': { $ref: '#/components/responses/Problem' }
        '413': { $ref: '#/components/responses/BodyTooLarge' }
        '414': { $ref: '#/components/responses/Problem' }
        '417': { $ref: '#/components/responses/Problem' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '429': { $ref: '#/components/responses/TooManyRequests' }
        '431': { $ref: '#/components/responses/Problem' }
        '500': { $ref: '#/components/responses/Problem' }
        '501': { $ref: '#/components/responses/Problem' }
        '502': { $ref: '#/components/responses/UpstreamFailed' }
        '503': { $ref: '#/components/responses/Unavailable' }
        '504': { $ref: '#/components/responses/UpstreamTimeout' }
        '505': { $ref: '#/components/responses/Problem' }
        4XX: { description: The API's answer. }
        5XX: { description: The API's answer. }

components:
  securitySchemes:
    cookie:
      type: apiKey
      in: cookie
      name: __Host-Http-cloakroom
      description: |
        Opaque; `Secure; HttpOnly; SameSite=Strict; Path=/`. On `http://localhost` with `insecureHttp` it is named
        `cloakroom-<port>` and not `Secure`.
    startCookie:
      type: apiKey
      in: cookie
      name: __Host-Http-cloakroom-start
      description: |
        That of a session in which nobody has signed in, with the same attributes; `cloakroom-<port>-start` with
        `insecureHttp`. It counts where the other one is absent or opens nothing, so that a flow which was begun with it is
        410 `flow-expired` beside a session that another tab has signed in to. A sign-in and a logout take it away.

  parameters:
    csrf:
      name: X-CSRF
      in: header
      required: true
      description: Proves that a script of the application made the call.
      schema: { type: string, const: '1' }
    streamCsrf:
      name: X-CSRF
      in: header
      required: false
      description: In place of what browsers say about the page.
      schema: { type: string, const: '1' }
    instanceName:
      name: instance
      in: path
      required: true
      description: |
        A client of the configuration, perhaps for an account of this browser. The account is any text of 1 to 128 bytes in
        UTF-8, without control characters, `/`, `\` and `%`; two that differ in a byte are two.
      schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,32}(:[^\x00-\x1f\x7f-\x9f/\\%]{1,128})?$' }
      examples:
        default: { value: standard }
        account: { value: 'standard:alice' }
        address: { value: 'standard:alice@example.com' }
    flow:
      name: flow
      in: path
      required: true
      description: The flow's id, as its answers tell it; any other text is a flow that is unknown.
      schema: { type: string, pattern: '^[^\x00-\x1f\x7f/\\%]+$' }

  headers:
    X-Request-Id:
      description: Names the request in the server's log.
      schema: { type: string }
    X-BFF-Problem:
      description: |
        The last part of the problem's `type`. Every problem of the server has it, and no answer of an API: the server
        removes the field there.
      schema: { type: string, pattern: '^[a-z-]+$' }
    Retry-After:
      description: Seconds to wait before the next try.
      schema: { type: integer, minimum: 1 }
    WWW-Authenticate:
      description: A scheme that no browser asks anybody about.
      schema: { type: string }
    Secure-Session-Challenge:
      description: The challenge for the browser's next proof of its device, with the name of the binding.
      schema: { type: string }
    Secure-Session-Registration:
      description: After a sign-in, the offer to bind the session to the device, where the settings offer it.
      schema: { type: string }
    Allow:
      description: With 405, the methods that the path has.
      schema: { type: string }

    Location:
      description: Where the browser goes on.
      schema: { type: string }
    Set-Cookie:
      description: A cookie of the server, which scripts do not see; several may come in fields of their own.
      schema: { type: string }

  requestBodies:
    Empty:
      required: false
      content:
        application/json:
          schema: { type: object, additionalProperties: false }

  responses:
    Elsewhere:
      description: The browser goes on elsewhere.
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Location: { $ref: '#/components/headers/Location' }
        Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
    FlowNode:
      description: What the flow shows now. All node types are 200. A page that waits for time has `Retry-After`.
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
        Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
        Secure-Session-Registration: { $ref: '#/components/headers/Secure-Session-Registration' }
      links:
        answer:
          operationId: answerStep
          description: The page's answer goes to the same instance, with the flow and the step of the page.
          parameters: { instance: $request.path.instance }
        again:
          operationId: getFlow
          description: What the flow shows, for a tab that was reloaded.
          parameters: { instance: $request.path.instance, flow: '$response.body#/flow' }
        cancel:
          operationId: cancelFlow
          description: Ends a flow that the user leaves.
          parameters: { instance: $request.path.instance, flow: '$response.body#/flow' }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/FlowNode' }
          examples:
            page:
              value:
                type: continue
                kind: journey
                flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                step: 1
                expiresIn: 600
                stage: UsernamePassword
                header: Sign in
                description: Sign in with your account of the realm.
                callbacks:
                  - { id: IDToken1, type: NameCallback, prompt: User Name, value: '',
                      answer: { type: string, title: User Name, maxLength: 8192, autocomplete: username } }
                  - { id: IDToken2, type: PasswordCallback, prompt: Password,
                      answer: { type: string, title: Password, maxLength: 8192, writeOnly: true,
                                autocomplete: current-password } }
            wait:
              value:
                type: continue
                kind: journey
                flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                step: 2
                expiresIn: 599
                callbacks:
                  - { id: PollingWaitCallback-0, type: PollingWaitCallback, waitTime: 1000,
                      message: Waiting for response..., nextPollIn: 1000 }
                  - { id: IDToken2, type: ConfirmationCallback, prompt: '', messageType: 0, options: [Exit],
                      optionType: -1, defaultOption: 0,
                      answer: { type: integer, oneOf: [{ const: 0, title: Exit }], default: 0 } }
            form:
              value:
                type: continue
                kind: davinci
                flow: f_Kd82mQx0Yb7cVn4sTz1rPw
                step: 1
                expiresIn: 600
                name: Sign On
                description: ''
                collectors:
                  - { id: username, type: TextCollector, category: SingleValueCollector, label: Username,
                      required: false, value: '',
                      answer: { type: string, title: Username, maxLength: 8192, autocomplete: username } }
                  - { id: password, type: PasswordCollector, category: SingleValueCollector, label: Password,
                      required: false, verify: false,
                      answer: { type: string, title: Password, maxLength: 8192, writeOnly: true,
                                autocomplete: current-password } }
                  - { id: SIGNON, type: SubmitCollector, category: ActionCollector, label: Sign On }
                  - { id: REGISTER, type: SubmitCollector, category: ActionCollector, label: Register }
                  - { id: TROUBLE, type: FlowCollector, category: ActionCollector, label: 'Having trouble signing on?',
                      style: button }
                  - { id: HELP, type: FlowCollector, category: ActionCollector, label: Help, style: link }
            refused:
              value:
                type: error
                kind: davinci
                flow: f_Kd82mQx0Yb7cVn4sTz1rPw
                step: 2
                expiresIn: 581
                message: Invalid username and/or password
                details: []
                name: Sign On
                description: ''
                collectors:
                  - { id: username, type: TextCollector, category: SingleValueCollector, label: Username,
                      required: false, value: demo,
                      answer: { type: string, title: Username, default: demo, maxLength: 8192,
                                autocomplete: username } }
                  - { id: password, type: PasswordCollector, category: SingleValueCollector, label: Password,
                      required: false, verify: false,
                      answer: { type: string, title: Password, maxLength: 8192, writeOnly: true,
                                autocomplete: current-password } }
                  - { id: SIGNON, type: SubmitCollector, category: ActionCollector, label: Sign On }
                  - { id: REGISTER, type: SubmitCollector, category: ActionCollector, label: Register }
                  - { id: TROUBLE, type: FlowCollector, category: ActionCollector, label: 'Having trouble signing on?',
                      style: button }
                  - { id: HELP, type: FlowCollector, category: ActionCollector, label: Help, style: link }
            failure:
              value:
                type: failure
                kind: journey
                flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                reason: authentication-failed
                message: Login failure
            success:
              value:
                type: success
                kind: journey
                flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                signedIn: true
                user:
                  subject: (usr!demo)
                  claims: { sub: (usr!demo), subname: demo, name: Dana Demo, given_name: Dana, family_name: Demo,
                            preferred_username: demo, updated_at: 1575671644, email: demo@example.com,
                            email_verified: true }
                  session: { realm: /alpha, successUrl: '/enduser/?realm=/alpha' }
                  token: { scope: [openid, profile, email], acr: '0', amr: [Login], authLevel: 0, authTime: 1767225600,
                           expiresIn: 3599 }
                  expiresIn: { idle: 1800, absolute: 28800 }
    User:
      description: Who is signed in.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/User' }
          examples:
            demo:
              value:
                subject: (usr!demo)
                claims: { sub: (usr!demo), subname: demo, name: Dana Demo, given_name: Dana, family_name: Demo,
                          preferred_username: demo, updated_at: 1575671644, email: demo@example.com,
                          email_verified: true }
                session: { realm: /alpha, successUrl: '/enduser/?realm=/alpha' }
                token: { scope: [openid, profile, email], acr: '0', amr: [Login], authLevel: 0, authTime: 1767225600,
                         expiresIn: 3599 }
                expiresIn: { idle: 1800, absolute: 28800 }
    Done:
      description: Done.
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Set-Cookie: { $ref: '#/components/headers/Set-Cookie' }
    NotRevoked:
      description: The tokens are forgotten here, and the provider did not take their revocation.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/NotRevoked' }
          examples:
            pending:
              value: { revoked: false, pending: true }
    Malformed:
      description: '`malformed`; `duplicate-cookie`; `device-proof-refused`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            unknownMember:
              value:
                type: /problems/malformed
                title: Malformed request
                status: 400
                detail: A member cannot be used as it is; `fields` names it.
                instance: 9f0c6b1d2e3a4f58-00000000002a
                fields:
                  - { id: journy, code: unknown-member,
                      message: 'The operation has no such member, or does not take it beside the others that were sent.' }
    LogoutTokenRefused:
      description: '`invalid-logout-token`; `malformed`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            refused:
              value:
                type: /problems/invalid-logout-token
                title: Invalid logout token
                status: 400
                detail: The logout token fails a check, or has been used; nothing was ended because of it.
                instance: 9f0c6b1d2e3a4f58-00000000002d
                error: invalid_request
                error_description: The logout token fails a check, or has been used; nothing was ended because of it.
    SignedOut:
      description: '`signed-out`; `device-proof-required`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        WWW-Authenticate: { $ref: '#/components/headers/WWW-Authenticate' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            signedOut:
              value:
                type: /problems/signed-out
                title: Signed out
                status: 401
                detail: The instance is not signed in.
                instance: 9f0c6b1d2e3a4f58-00000000002b
    Forbidden:
      description: '`csrf`; `interaction-needed`; `step-up-required`; `step-up-failed`; `step-up-unavailable`;
        `device-required`; `device-challenge`, with `Secure-Session-Challenge`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        Secure-Session-Challenge: { $ref: '#/components/headers/Secure-Session-Challenge' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            csrf:
              value:
                type: /problems/csrf
                title: Cross-site request refused
                status: 403
                detail: The call lacks the header field that proves it was made by the application; `fields` names it.
                instance: 9f0c6b1d2e3a4f58-00000000002c
                fields:
                - id: X-CSRF
                  code: required
                  message: The header field has to be sent once, with its configured value.
            stepUp:
              value:
                type: /problems/step-up-required
                title: Step-up required
                status: 403
                detail: The call needs a stronger or more recent sign-in; `stepUp` says where it begins.
                instance: 9f0c6b1d2e3a4f58-00000000002d
                stepUp: { instance: payment, start: /payment/start, for: pay }
                required: { acr: gold, scope: [PAY] }
    NotFound:
      description: '`unknown-instance`; `unknown-session`; `not-found`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            unknownInstance:
              value:
                type: /problems/unknown-instance
                title: Unknown instance
                status: 404
                detail: The path names no configured client, or an account that cannot be one.
                instance: 9f0c6b1d2e3a4f58-00000000002e
    Conflict:
      description: '`stale-step`, with the node that the flow shows now; `step-in-progress`; `session-changed`;
        `no-pending-return`; `subject-changed`; `too-many-accounts`; `device-bound`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            staleStep:
              value:
                type: /problems/stale-step
                title: Stale step
                status: 409
                detail: The flow has moved on; `node` is what it shows now.
                instance: 9f0c6b1d2e3a4f58-00000000002f
                node:
                  type: continue
                  kind: journey
                  flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                  step: 1
                  expiresIn: 600
                  stage: UsernamePassword
                  header: Sign in
                  description: Sign in with your account of the realm.
                  callbacks:
                    - { id: IDToken1, type: NameCallback, prompt: User Name, value: '',
                        answer: { type: string, title: User Name, maxLength: 8192, autocomplete: username } }
                    - { id: IDToken2, type: PasswordCallback, prompt: Password,
                        answer: { type: string, title: Password, maxLength: 8192, writeOnly: true,
                                  autocomplete: current-password } }
    FlowExpired:
      description: '`flow-expired`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            flowExpired:
              value:
                type: /problems/flow-expired
                title: Flow expired
                status: 410
                detail: 'The flow is unknown, over or expired: start again.'
                instance: 9f0c6b1d2e3a4f58-000000000030
    BodyTooLarge:
      description: '`body-too-large`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            bodyTooLarge:
              value:
                type: /problems/body-too-large
                title: Body too large
                status: 413
                detail: The body is longer than the operation accepts.
                instance: 9f0c6b1d2e3a4f58-000000000031
    UnsupportedMediaType:
      description: '`unsupported-media-type`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            text:
              value:
                type: /problems/unsupported-media-type
                title: Unsupported media type
                status: 415
                detail: The body must be sent as application/json in UTF-8, without a content coding.
                instance: 9f0c6b1d2e3a4f58-000000000032
    MisdirectedRequest:
      description: '`misdirected-request`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            otherHost:
              value:
                type: /problems/misdirected-request
                title: Misdirected request
                status: 421
                detail: The server does not answer for this host.
                instance: 9f0c6b1d2e3a4f58-000000000033
    Unprocessable:
      description: '`not-allowed` by the client''s configuration; `invalid-answers`. Nothing was sent to the provider.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            unknownQuestion:
              value:
                type: /problems/invalid-answers
                title: Invalid answers
                status: 422
                detail: Some answers do not fit the page; `fields` names them. Nothing was sent to the provider.
                instance: 9f0c6b1d2e3a4f58-000000000034
                fields: [{ id: IDToken9, code: unknown-question, message: the page has no such question }]
            notAllowed:
              value:
                type: /problems/not-allowed
                title: Not allowed
                status: 422
                detail: The client is not configured to allow what was asked; `fields` names it.
                instance: 9f0c6b1d2e3a4f58-000000000035
                fields:
                  - { id: journey, code: not-allowed,
                      message: The client's configuration or its product does not allow the value. }
    TooManyRequests:
      description: '`too-many-requests`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            tooManyRequests:
              value:
                type: /problems/too-many-requests
                title: Too many requests
                status: 429
                detail: Too many requests; wait as long as Retry-After says.
                instance: 9f0c6b1d2e3a4f58-000000000036
                retryAfter: 1
    ProviderRefused:
      description: '`provider-refused`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            refused:
              value:
                type: /problems/provider-refused
                title: Provider refused
                status: 502
                detail: The identity provider refused the server's request; its log has more.
                instance: 9f0c6b1d2e3a4f58-000000000037
    UpstreamFailed:
      description: '`upstream-failed`; `upstream-unavailable`; `provider-refused`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            unreachable:
              value:
                type: /problems/upstream-unavailable
                title: API unavailable
                status: 502
                detail: The API behind the route cannot be reached.
                instance: 9f0c6b1d2e3a4f58-000000000038
    UpstreamTimeout:
      description: '`upstream-timeout`; `deadline-exceeded`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            timeout:
              value:
                type: /problems/upstream-timeout
                title: API timeout
                status: 504
                detail: The API behind the route did not answer in time; whether it acted is unknown.
                instance: 9f0c6b1d2e3a4f58-000000000039
    Unavailable:
      description: '`provider-unavailable`; `store-unavailable`; `issuer-unavailable`; `interrupted`; `stopping`;
        `busy`; `upstream-busy`; `device-proof-missing`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            provider:
              value:
                type: /problems/provider-unavailable
                title: Provider unavailable
                status: 503
                detail: The identity provider cannot be asked now; nothing is lost.
                instance: 9f0c6b1d2e3a4f58-00000000003a
                retryAfter: 5
    Problem:
      description: '`method-not-allowed`; what is wrong with the request as such: `request-timeout`, `target-too-long`,
        `headers-too-large` and their like; `internal-error`; `deadline-exceeded`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        X-BFF-Problem: { $ref: '#/components/headers/X-BFF-Problem' }
        Allow: { $ref: '#/components/headers/Allow' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
          examples:
            method:
              value:
                type: /problems/method-not-allowed
                title: Method not allowed
                status: 405
                detail: The path does not support this method; Allow lists those it does.
                instance: 9f0c6b1d2e3a4f58-00000000003b

  schemas:
    RelatedOrigins:
      type: object
      required: [origins]
      properties:
        origins:
          type: array
          minItems: 1
          items: { type: string, pattern: '^https://[^/]+$' }
    PasskeyEndpoints:
      type: object
      minProperties: 1
      properties:
        enroll: { type: string, description: The page on which a user creates a passkey. }
        manage: { type: string, description: The page on which a user sees and removes passkeys. }
    FlowID:
      type: string
      pattern: '^f_[A-Za-z0-9_-]{22}$'
    Seconds:
      type: integer
      minimum: 0

    StartRequest:
      type: object
      additionalProperties: false
      properties:
        journey: { type: string, maxLength: 256, description: 'The client''s first one unless said; of a DaVinci flow 422.' }
        forceAuth: { type: boolean, description: 'Runs the whole journey although a provider session lives; false unless said; of a DaVinci flow 422.' }
        noSession: { type: boolean, description: 'Makes no provider session, and signs nothing in; false unless said; of a DaVinci flow 422.' }
        acrValues:
          type: array
          maxItems: 16
          items: { type: string, maxLength: 256 }
          description: Of a DaVinci flow one, the policy that is run in place of the client's.
        prompt:
          type: string
          maxLength: 64
          description: Of a DaVinci flow `none` for a sign-in without pages, `login` for one in spite of a session; of a journey 422.
        loginHint:
          type: string
          maxLength: 256
          description: Who is likely to sign in, for a DaVinci flow; of a journey 422, because it asks for the name itself.
        uiLocales:
          type: array
          maxItems: 16
          items: { type: string, maxLength: 35, pattern: '^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$' }
          description: Language tags, best first, for all pages of the flow; without them those that this call's browser asks for.
        parameters:
          type: object
          maxProperties: 32
          propertyNames: { maxLength: 64 }
          additionalProperties: { type: string, maxLength: 2048 }
          description: For scripts of the journey, or as `authorizationRequest` of the DaVinci flow; allow-listed by name.
        replace:
          type: boolean
          description: |
            Lets the sign-in change the instance's subject; otherwise, and unless said, that is 409 `subject-changed`.
        for:
          type: string
          maxLength: 64
          description: |
            What to step up for: `stepUp.for` of a `step-up-required`. The server then sets what the provider is asked for
            itself; the other members but `returnTarget` have no effect, but what the client does not allow is 422 all the same.
        transaction:
          type: string
          minLength: 1
          maxLength: 128
          pattern: '^[A-Za-z0-9._-]+$'
          description: |
            The id of a backchannel transaction of AM, which is run in place of a journey; beside any other member but
            `returnTarget` it is 400, of a client without `clients.*.transactions` 422. One that is for another user than the
            one who is signed in ends with `account-mismatch`.
        returnTarget:
          type: string
          maxLength: 64
          description: >-
            The name in `server.returnTargets` of the page that the user comes back to who leaves in the flow; the first one
            unless said.

    ResumeRequest:
      description: Exactly one of `handle`, `suspendedId` and `uri`; with `handle` the `flow`, and nothing else.
      type: object
      additionalProperties: false
      properties:
        handle: { type: string, maxLength: 12288, description: What followed `#resume=`. }
        flow: { type: string, maxLength: 128, description: The flow whose page was left; required with `handle`. }
        suspendedId: { type: string, minLength: 1, maxLength: 4096, description: 'That of the link, decoded.' }
        uri:
          type: string
          maxLength: 8192
          description: The link as it was opened; its `suspendedId` counts, and its `realm` has to be the client's.
        forceAuth: { type: boolean, description: As in `start`. }
        noSession: { type: boolean, description: As in `start`. }
        returnTarget: { type: string, maxLength: 64, description: As in `start`. }

    NextRequest:
      type: object
      additionalProperties: false
      required: [flow, step]
      properties:
        flow: { type: string, maxLength: 128 }
        step: { type: integer, minimum: 1 }
        values:
          type: object
          additionalProperties: true
          description: Answers by question id, each as the question's `answer` schema says. What is left out stays as it is.
        action: { type: string, maxLength: 256, description: The id of the question that was pressed. }
        wait:
          type: integer
          minimum: 0
          maximum: 25
          description: The seconds for which a poll may be held; 0 unless said. Anything but a poll is answered at once.
        confirm:
          type: boolean
          description: |
            True confirms the sign-in that `confirm` of a `subject-changed` asks about, with its `flow` and `step`; neither
            `values` nor `action` come with it. False is like no `confirm`, and declines nothing: to decline, cancel the flow.

    LogoutRequest:
      type: object
      additionalProperties: false
      properties:
        session: { type: boolean, description: Ends the provider session in any case; false unless said. }

    Session:
      type: object
      required: [authenticated, accounts, instances, expiresIn]
      properties:
        authenticated: { type: boolean, description: Whether any instance is signed in. }
        accounts:
          type: array
          items: { type: string }
          description: The accounts in use; the empty name is the default account.
        instances: { type: array, items: { $ref: '#/components/schemas/InstanceStatus' } }
        expiresIn:
          oneOf:
            - $ref: '#/components/schemas/SessionExpiry'
            - type: 'null'
        device:
          type: string
          description: |
            The session's relation to the device of its browser: `bound`, `unbound`, or `unproven` if it is bound, this
            request did not prove the device, and nothing else of the session is told. Missing where the server binds no
            sessions.
    DeviceBinding:
      type: object
      description: The instructions of Device Bound Session Credentials, or the end of a binding.
      required: [session_identifier]
      properties:
        session_identifier: { type: string }
        refresh_url: { type: string }
        continue: { type: boolean }
        scope: { $ref: '#/components/schemas/DeviceScope' }
        credentials: { type: array, items: { $ref: '#/components/schemas/DeviceCredential' } }
        allowed_refresh_initiators: { type: array, items: { type: string } }
    DeviceScope:
      type: object
      required: [origin, include_site, scope_specification]
      properties:
        origin: { type: string }
        include_site: { type: boolean }
        scope_specification: { type: array, items: { $ref: '#/components/schemas/DeviceScopeRule' } }
    DeviceScopeRule:
      type: object
      required: [type, path]
      properties:
        type: { type: string }
        path: { type: string }
    DeviceCredential:
      type: object
      required: [type, name, attributes]
      properties:
        type: { type: string }
        name: { type: string }
        attributes: { type: string }
    InstanceStatus:
      type: object
      required: [instance, client, account, kind, state, subject, tokenExpiresIn, providerSession, flows]
      properties:
        instance: { type: string, description: 'The name in paths, where it is percent-encoded.' }
        client: { type: string }
        account: { type: [string, 'null'] }
        kind: { $ref: '#/components/schemas/Kind' }
        state: { type: string, enum: [none, in-progress, authenticated] }
        subject: { type: [string, 'null'] }
        tokenExpiresIn: { type: [integer, 'null'], minimum: 0, description: Seconds. }
        providerSession:
          type: boolean
          description: Whether its provider session is held. It may bring tokens without the user where the instance has none.
        flows:
          type: integer
          minimum: 0
          description: How many flows of the instance are under way. Their ids are not listed.
    SessionExpiry:
      type: object
      required: [idle, absolute]
      properties:
        idle: { $ref: '#/components/schemas/Seconds' }
        absolute: { $ref: '#/components/schemas/Seconds' }

    User:
      type: object
      required: [subject, claims, session, token, expiresIn]
      properties:
        subject: { type: string }
        claims:
          type: object
          additionalProperties: true
          description: What userinfo said; empty when it could not be asked.
        session: { $ref: '#/components/schemas/UserSession' }
        token: { $ref: '#/components/schemas/TokenFacts' }
        expiresIn: { $ref: '#/components/schemas/SessionExpiry' }
    UserSession:
      description: What the provider said of its session; empty for one of DaVinci flows.
      type: object
      properties:
        realm: { type: string }
        successUrl:
          type: [string, 'null']
          pattern: '^/([^/].*)?$'
          description: Only as a path of this origin.
    TokenFacts:
      description: What the browser may know of the access token.
      type: object
      required: [scope, acr, amr, authLevel, authTime, expiresIn]
      properties:
        scope: { type: array, items: { type: string } }
        acr: { type: [string, 'null'] }
        amr: { type: array, items: { type: string } }
        authLevel: { type: [integer, 'null'] }
        authTime: { type: [integer, 'null'], description: Seconds since 1970. }
        expiresIn: { type: [integer, 'null'], minimum: 0, description: Seconds. }

    Kind:
      type: string
      x-extensible-enum: [journey, davinci]

    FlowNode:
      oneOf:
        - $ref: '#/components/schemas/ContinueNode'
        - $ref: '#/components/schemas/ErrorNode'
        - $ref: '#/components/schemas/FailureNode'
        - $ref: '#/components/schemas/SuccessNode'
      discriminator:
        propertyName: type
        mapping:
          continue: '#/components/schemas/ContinueNode'
          error: '#/components/schemas/ErrorNode'
          failure: '#/components/schemas/FailureNode'
          success: '#/components/schemas/SuccessNode'
    ContinueNode:
      description: A page to be answered.
      type: object
      required: [type, kind, flow, step, expiresIn]
      properties:
        type: { type: string, const: continue }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        step: { type: integer, minimum: 1 }
        expiresIn: { $ref: '#/components/schemas/Seconds' }
        crossBrowser:
          type: boolean
          description: True for a flow that began with a link which no flow of this browser waited for.
        for: { $ref: '#/components/schemas/PageGoal' }
        stage: { type: string }
        texts: { $ref: '#/components/schemas/PageTexts' }
        header: { type: string }
        name: { type: string, description: The heading of a page of DaVinci. }
        description: { type: string }
        suspended: { type: boolean, description: 'True where the flow waits for a link: `resume` goes on.' }
        callbacks:
          type: array
          items: { $ref: '#/components/schemas/Callback' }
          description: The questions of a page of a journey; no other has this member.
        collectors:
          type: array
          items: { $ref: '#/components/schemas/Collector' }
          description: The questions of a page of DaVinci; no other has this member.
    ErrorNode:
      description: The provider refused the answers and the page can be answered again, as a new step.
      type: object
      required: [type, kind, flow, step, expiresIn, message, details]
      properties:
        type: { type: string, const: error }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        step: { type: integer, minimum: 1 }
        expiresIn: { $ref: '#/components/schemas/Seconds' }
        message: { type: string }
        details:
          type: array
          items: { $ref: '#/components/schemas/RefusedValue' }
          description: What the provider said of single answers, in its words.
        crossBrowser:
          type: boolean
          description: True for a flow that began with a link which no flow of this browser waited for.
        for: { $ref: '#/components/schemas/PageGoal' }
        stage: { type: string }
        texts: { $ref: '#/components/schemas/PageTexts' }
        header: { type: string }
        name: { type: string, description: The heading of a page of DaVinci. }
        description: { type: string }
        suspended: { type: boolean, description: 'True where the flow waits for a link: `resume` goes on.' }
        callbacks:
          type: array
          items: { $ref: '#/components/schemas/Callback' }
          description: The questions of a page of a journey; no other has this member.
        collectors:
          type: array
          items: { $ref: '#/components/schemas/Collector' }
          description: The questions of a page of DaVinci; no other has this member.
    RefusedValue:
      type: object
      required: [target]
      properties:
        target: { type: string, description: 'What the provider calls the value, `email` for instance; `return` of who came back from another site without a sign-in.' }
        id: { type: string, description: The question of the page that asked for it. }
        message: { type: string, description: A sentence for the user. }
        requirements: { type: array, items: { $ref: '#/components/schemas/RefusedRule' } }
    RefusedRule:
      description: A rule for passwords that was not met.
      type: object
      required: [name, message]
      properties:
        name: { type: string, description: 'The provider''s name of it, `minCharacters` for instance.' }
        message: { type: string, description: A sentence for the user. }
    FailureNode:
      description: The flow is over; start again.
      type: object
      required: [type, kind, reason]
      properties:
        type: { type: string, const: failure }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        reason:
          type: string
          x-extensible-enum: [authentication-failed, journey-expired, suspended-expired, policy-failed, bad-request,
            provider-unavailable, outcome-unknown, consent-required, account-mismatch, step-up-not-reached,
            unmet-authentication-requirements, configuration-error, link-not-allowed, too-many-refusals, page-too-large,
            interaction-expired, login-required, provider-refused, poll-failed]
          description: Stable; this version sends no others. With `configuration-error` an operator has to act.
        message: { type: string, description: 'The provider''s own text for the user, at most 1 KiB.' }
        details:
          type: array
          items: { $ref: '#/components/schemas/FailedProperty' }
          description: With `policy-failed`, what did not meet the provider's policies; what goes beyond 8 KiB is left out.
        detail:
          type: object
          additionalProperties: true
          description: The members of the provider's own `detail` that the server exposes, at most 8 KiB.
    FailedProperty:
      type: object
      required: [property, requirements]
      properties:
        property: { type: string, description: 'What the provider calls it, `mail` for instance.' }
        id: { type: string, description: The question of the answered page that asked for it. }
        requirements: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
    PageGoal:
      type: string
      description: |
        In a step-up what it is for: the name of a requirement, or `signed-in` where the provider wants the user to sign in
        anew.
    NotRevoked:
      type: object
      required: [revoked, pending]
      properties:
        revoked: { type: boolean, description: Always false. }
        pending: { type: boolean, description: Whether the server tries again; else the tokens stay good at the provider. }
    SuccessNode:
      description: >-
        The user is signed in; with `signedIn` false the journey ended well and brought nothing to sign in with (`noSession`,
        or a transaction, which the repeated call decides).
      type: object
      required: [type, kind, signedIn]
      properties:
        type: { type: string, const: success }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        crossBrowser:
          type: boolean
          description: >-
            True for a flow that began with a link which no flow of this browser waited for: say who is signed in now, since
            somebody else may have sent the link.
        signedIn: { type: boolean }
        user: { $ref: '#/components/schemas/User' }

    PageTexts:
      description: What a stage that is a JSON object says in the language of the flow.
      type: object
      properties:
        submitButtonText: { type: string }
        pageFooter: { type: string }

    Callback:
      description: |
        One question of a journey's page, or a text. Each has an `id`, the name of its answer in `values`, and a `type`. One
        that can be answered has `answer`, the JSON Schema of its answer; one without it takes none. A renderer that goes by
        `answer` alone needs no list of types: `title` is the label, `default` what the field begins with, `oneOf` has a
        `const` and a `title` for each choice, `writeOnly` is for what is never shown, `autocomplete` a word of the HTML
        standard, and what has `hidden` is filled in by programs and drawn by nobody.
      oneOf:
        - $ref: '#/components/schemas/BooleanAttributeInputCallback'
        - $ref: '#/components/schemas/ChoiceCallback'
        - $ref: '#/components/schemas/ConfirmationCallback'
        - $ref: '#/components/schemas/ConsentMappingCallback'
        - $ref: '#/components/schemas/DeviceBindingCallback'
        - $ref: '#/components/schemas/DeviceProfileCallback'
        - $ref: '#/components/schemas/DeviceSigningVerifierCallback'
        - $ref: '#/components/schemas/HiddenValueCallback'
        - $ref: '#/components/schemas/IdPCallback'
        - $ref: '#/components/schemas/KbaCreateCallback'
        - $ref: '#/components/schemas/LanguageCallback'
        - $ref: '#/components/schemas/MetadataCallback'
        - $ref: '#/components/schemas/NameCallback'
        - $ref: '#/components/schemas/NumberAttributeInputCallback'
        - $ref: '#/components/schemas/PasswordCallback'
        - $ref: '#/components/schemas/PingOneProtectEvaluationCallback'
        - $ref: '#/components/schemas/PingOneProtectInitializeCallback'
        - $ref: '#/components/schemas/PingOneRecognizeCallback'
        - $ref: '#/components/schemas/PollingWaitCallback'
        - $ref: '#/components/schemas/ReCaptchaCallback'
        - $ref: '#/components/schemas/ReCaptchaEnterpriseCallback'
        - $ref: '#/components/schemas/RedirectCallback'
        - $ref: '#/components/schemas/SelectIdPCallback'
        - $ref: '#/components/schemas/StringAttributeInputCallback'
        - $ref: '#/components/schemas/SuspendedTextOutputCallback'
        - $ref: '#/components/schemas/TermsAndConditionsCallback'
        - $ref: '#/components/schemas/TextInputCallback'
        - $ref: '#/components/schemas/TextOutputCallback'
        - $ref: '#/components/schemas/UnsupportedCallback'
        - $ref: '#/components/schemas/ValidatedCreatePasswordCallback'
        - $ref: '#/components/schemas/ValidatedCreateUsernameCallback'
      discriminator:
        propertyName: type
        mapping:
          BooleanAttributeInputCallback: '#/components/schemas/BooleanAttributeInputCallback'
          ChoiceCallback: '#/components/schemas/ChoiceCallback'
          ConfirmationCallback: '#/components/schemas/ConfirmationCallback'
          ConsentMappingCallback: '#/components/schemas/ConsentMappingCallback'
          DeviceBindingCallback: '#/components/schemas/DeviceBindingCallback'
          DeviceProfileCallback: '#/components/schemas/DeviceProfileCallback'
          DeviceSigningVerifierCallback: '#/components/schemas/DeviceSigningVerifierCallback'
          HiddenValueCallback: '#/components/schemas/HiddenValueCallback'
          IdPCallback: '#/components/schemas/IdPCallback'
          KbaCreateCallback: '#/components/schemas/KbaCreateCallback'
          LanguageCallback: '#/components/schemas/LanguageCallback'
          MetadataCallback: '#/components/schemas/MetadataCallback'
          NameCallback: '#/components/schemas/NameCallback'
          NumberAttributeInputCallback: '#/components/schemas/NumberAttributeInputCallback'
          PasswordCallback: '#/components/schemas/PasswordCallback'
          PingOneProtectEvaluationCallback: '#/components/schemas/PingOneProtectEvaluationCallback'
          PingOneProtectInitializeCallback: '#/components/schemas/PingOneProtectInitializeCallback'
          PingOneRecognizeCallback: '#/components/schemas/PingOneRecognizeCallback'
          PollingWaitCallback: '#/components/schemas/PollingWaitCallback'
          ReCaptchaCallback: '#/components/schemas/ReCaptchaCallback'
          ReCaptchaEnterpriseCallback: '#/components/schemas/ReCaptchaEnterpriseCallback'
          RedirectCallback: '#/components/schemas/RedirectCallback'
          SelectIdPCallback: '#/components/schemas/SelectIdPCallback'
          StringAttributeInputCallback: '#/components/schemas/StringAttributeInputCallback'
          SuspendedTextOutputCallback: '#/components/schemas/SuspendedTextOutputCallback'
          TermsAndConditionsCallback: '#/components/schemas/TermsAndConditionsCallback'
          TextInputCallback: '#/components/schemas/TextInputCallback'
          TextOutputCallback: '#/components/schemas/TextOutputCallback'
          UnsupportedCallback: '#/components/schemas/UnsupportedCallback'
          ValidatedCreatePasswordCallback: '#/components/schemas/ValidatedCreatePasswordCallback'
          ValidatedCreateUsernameCallback: '#/components/schemas/ValidatedCreateUsernameCallback'
    BooleanAttributeInputCallback:
      description: Asks for a truth value of the user's profile that has to meet policies.
      type: object
      required: [id, type, name, required, prompt, failedPolicies, validateOnly, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: BooleanAttributeInputCallback }
        name: { type: string, description: The name of the attribute. }
        required: { type: boolean, description: Whether the attribute must not be left empty; the provider judges. }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        value: { type: boolean, description: What the field begins with. }
        answer:
          type: object
          additionalProperties: true
          description: A truth value; where the provider can check without going on, an object of it as `value` and, if wanted, `validateOnly`.
    ChoiceCallback:
      description: Asks for one of several choices.
      type: object
      required: [id, type, prompt, choices, defaultChoice, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ChoiceCallback }
        prompt: { type: string }
        choices: { type: array, items: { type: string } }
        defaultChoice: { type: integer }
        value: { type: integer, description: What is chosen now. }
        answer: { type: object, additionalProperties: true, description: A position from 0. }
    ConfirmationCallback:
      description: Asks to press one of several buttons.
      type: object
      required: [id, type, prompt, messageType, options, optionType, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ConfirmationCallback }
        prompt: { type: string }
        messageType: { type: integer, description: '0 information, 1 warning, 2 error.' }
        options: { type: array, items: { type: string } }
        optionType: { type: integer }
        optionValues:
          type: array
          items: { type: integer }
          description: What each option sends, where that is not its position.
        defaultOption: { type: integer }
        answer: { type: object, additionalProperties: true, description: The value of an option. }
    ConsentMappingCallback:
      description: Asks whether parts of the profile may be passed on.
      type: object
      required: [id, type, name, displayName, icon, accessLevel, isRequired, fields, message, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ConsentMappingCallback }
        name: { type: string }
        displayName: { type: string }
        icon: { type: string }
        accessLevel: { type: string }
        isRequired: { type: boolean, description: Whether the journey needs it; the journey judges. }
        fields: { type: array, items: { type: string } }
        message: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: A truth value.
    DeviceBindingCallback:
      description: Asks a native application to bind a key to the user; a browser cannot.
      type: object
      required: [id, type, nativeOnly, userId, username, authenticationType, title, subtitle, description, timeout, attestation, answer]
      properties:
        id: { type: string }
        type: { type: string, const: DeviceBindingCallback }
        nativeOnly: { type: boolean, description: Always true. }
        userId: { type: string }
        username: { type: string }
        authenticationType: { type: string }
        title: { type: string }
        subtitle: { type: string }
        description: { type: string }
        timeout: { type: integer, description: Seconds. }
        attestation: { type: boolean }
        answer:
          type: object
          additionalProperties: true
          description: An object of `clientError`, which is `Unsupported`, `Timeout`, `Abort` or `ClientNotRegistered`.
    DeviceProfileCallback:
      description: Asks what the device is and where.
      type: object
      required: [id, type, message, metadata, location, answer]
      properties:
        id: { type: string }
        type: { type: string, const: DeviceProfileCallback }
        message: { type: string }
        metadata: { type: boolean, description: Whether facts about the device are asked for. }
        location: { type: boolean, description: Whether the place is asked for. }
        answer:
          type: object
          additionalProperties: true
          description: An object of `identifier` and, where they are asked for, `metadata` and `location` with `latitude` and `longitude`.
    DeviceSigningVerifierCallback:
      description: Asks a native application to sign with the key that it bound to the user; a browser cannot.
      type: object
      required: [id, type, nativeOnly, userId, title, subtitle, description, timeout, answer]
      properties:
        id: { type: string }
        type: { type: string, const: DeviceSigningVerifierCallback }
        nativeOnly: { type: boolean, description: Always true. }
        userId: { type: string }
        title: { type: string }
        subtitle: { type: string }
        description: { type: string }
        timeout: { type: integer, description: Seconds. }
        answer:
          type: object
          additionalProperties: true
          description: An object of `clientError`, which is `Unsupported`, `Timeout`, `Abort` or `ClientNotRegistered`.
    HiddenValueCallback:
      description: A value that the page fills in without showing it.
      type: object
      required: [id, type, hiddenId, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: HiddenValueCallback }
        hiddenId: { type: string, description: What the journey calls the value. }
        value: { type: string }
        specialised: { type: string, x-extensible-enum: [qr_code], description: What stands for more than a value. }
        uri: { type: string, description: To be drawn as a QR code. }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    IdPCallback:
      description: Asks for a token of another identity provider, which the application obtains there.
      type: object
      required: [id, type, provider, clientId, redirectUri, scopes, nonce, acrValues, request, requestUri, acceptsJSON, answer]
      properties:
        id: { type: string }
        type: { type: string, const: IdPCallback }
        provider: { type: string }
        clientId: { type: string }
        redirectUri: { type: string }
        scopes: { type: array, items: { type: string } }
        nonce: { type: string }
        acrValues: { type: array, items: { type: string } }
        request: { type: string }
        requestUri: { type: string }
        acceptsJSON: { type: boolean }
        answer:
          type: object
          additionalProperties: true
          description: An object of `token` and `tokenType`, which is `id_token`, `access_token` or `authorization_code`.
    KbaCreateCallback:
      description: Asks for a question about oneself and its answer.
      type: object
      required: [id, type, prompt, predefinedQuestions, allowUserDefinedQuestions, answer]
      properties:
        id: { type: string }
        type: { type: string, const: KbaCreateCallback }
        prompt: { type: string }
        predefinedQuestions: { type: array, items: { type: string } }
        allowUserDefinedQuestions: { type: boolean, description: Whether another question is taken. }
        answer:
          type: object
          additionalProperties: true
          description: An object of `question` and `answer`, of which the second is never shown.
    LanguageCallback:
      description: Asks for the language of the user; takes no answer where the provider gives it no place.
      type: object
      required: [id, type]
      properties:
        id: { type: string }
        type: { type: string, const: LanguageCallback }
        language: { type: string, description: What is set now. }
        country: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: An object of `language` and `country`, where the question has them.
    MetadataCallback:
      description: Data for the page; takes no answer unless it stands for a question.
      type: object
      required: [id, type, data]
      properties:
        id: { type: string }
        type: { type: string, const: MetadataCallback }
        specialised:
          type: string
          x-extensible-enum: [protect_initialize, protect_risk_evaluation, recognize, webauthn_registration, webauthn_authentication]
          description: The question that the data stands for.
        data: { type: object, additionalProperties: true, description: 'As received; of a question what its own type shows, which of WebAuthn is nothing.' }
        publicKey:
          type: object
          additionalProperties: true
          description: Of WebAuthn the options that `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON` takes; absent where browsers have no credential for this server, so that `unsupported` is the one good answer.
        mediation: { type: string, description: 'Of WebAuthn how the browser is to ask; with `conditional` the question may stay without an answer.' }
        answer:
          type: object
          additionalProperties: true
          description: That of `PingOneProtectInitializeCallback`, `PingOneProtectEvaluationCallback` or `PingOneRecognizeCallback`. Of WebAuthn one of `credential` as the browser's `toJSON()` gives it, at a registration with `deviceName` where there is one; `error` with the `name` and the `message` of what the browser threw; and `unsupported`, true.
    NameCallback:
      description: Asks for a user name.
      type: object
      required: [id, type, prompt, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: NameCallback }
        prompt: { type: string }
        value: { type: string, description: What the field begins with. }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    NumberAttributeInputCallback:
      description: Asks for a number of the user's profile that has to meet policies.
      type: object
      required: [id, type, name, required, prompt, failedPolicies, validateOnly, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: NumberAttributeInputCallback }
        name: { type: string, description: The name of the attribute. }
        required: { type: boolean, description: Whether the attribute must not be left empty; the provider judges. }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        value: { type: [number, 'null'], description: What the field begins with; null where there is no value yet. }
        answer:
          type: object
          additionalProperties: true
          description: A number; where the provider can check without going on, an object of it as `value` and, if wanted, `validateOnly`.
    PasswordCallback:
      description: Asks for a secret, a password or a one-time code.
      type: object
      required: [id, type, prompt, answer]
      properties:
        id: { type: string }
        type: { type: string, const: PasswordCallback }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        answer: { $ref: '#/components/schemas/SecretAnswer' }
    PingOneProtectEvaluationCallback:
      description: Asks for the signals that the page has collected for PingOne Protect.
      type: object
      required: [id, type, pauseBehavioralData, answer]
      properties:
        id: { type: string }
        type: { type: string, const: PingOneProtectEvaluationCallback }
        pauseBehavioralData: { type: boolean }
        answer:
          type: object
          additionalProperties: true
          description: An object of `signals` and `clientError`, which may be missing.
    PingOneProtectInitializeCallback:
      description: Asks the page to begin to collect signals for PingOne Protect.
      type: object
      required: [id, type, envId, consoleLogEnabled, deviceAttributesToIgnore, customHost, lazyMetadata, behavioralDataCollection, deviceKeyRsyncIntervals, enableTrust, disableTags, disableHub, answer]
      properties:
        id: { type: string }
        type: { type: string, const: PingOneProtectInitializeCallback }
        envId: { type: string }
        consoleLogEnabled: { type: boolean }
        deviceAttributesToIgnore: { type: array, items: { type: string } }
        customHost: { type: string }
        lazyMetadata: { type: boolean }
        behavioralDataCollection: { type: boolean }
        deviceKeyRsyncIntervals: { type: integer, description: Days. }
        enableTrust: { type: boolean }
        disableTags: { type: boolean }
        disableHub: { type: boolean }
        signalsInitializationOptions: { type: object, additionalProperties: true, description: What newer servers say in place of all others. }
        answer:
          type: object
          additionalProperties: true
          description: An object of `clientError`, which may be missing; no answer when collecting has begun.
    PingOneRecognizeCallback:
      description: Asks the page to recognise a person by PingOne Recognize, or to enrol one.
      type: object
      required: [id, type, operationType, authenticationServiceUrl, customerName, username, transactionData, audience, webSDKOptions, generateClientState, clientState, answer]
      properties:
        id: { type: string }
        type: { type: string, const: PingOneRecognizeCallback }
        operationType: { type: string, enum: [ENROLL, AUTHENTICATE] }
        authenticationServiceUrl: { type: string }
        customerName: { type: string }
        username: { type: string }
        transactionData: { type: string }
        audience: { type: string }
        webSDKOptions: { type: object, additionalProperties: true }
        generateClientState: { type: boolean }
        clientState: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: An object of `signedJwt`, `recognizeId`, which `AUTHENTICATE` may lack, and perhaps `clientState`, or of `clientError` and perhaps `clientErrorCode`.
    PollingWaitCallback:
      description: |
        Asks to wait while the user does something elsewhere, and then to poll: `next` with this question's id as `action`. It
        takes no answer.
      type: object
      required: [id, type, waitTime, message]
      properties:
        id: { type: string }
        type: { type: string, const: PollingWaitCallback }
        waitTime: { type: integer, minimum: 500, maximum: 300000, description: Milliseconds between two polls. }
        message: { type: string, description: What to tell the user; it may change from poll to poll. }
        nextPollIn:
          type: integer
          minimum: 0
          description: Milliseconds until the provider may be asked again; an earlier poll gets the page as it is.
    ReCaptchaCallback:
      description: Asks for the token of a reCAPTCHA.
      type: object
      required: [id, type, siteKey, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ReCaptchaCallback }
        siteKey: { type: string }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    ReCaptchaEnterpriseCallback:
      description: Asks for the token of a reCAPTCHA Enterprise.
      type: object
      required: [id, type, siteKey, divClass, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ReCaptchaEnterpriseCallback }
        siteKey: { type: string }
        apiUri: { type: string, description: Only an address with https. }
        divClass: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: An object of `token`, and of `action`, `clientError` and `payload`, which may be missing; with `clientError` the
            token may be missing too.
    RedirectCallback:
      description: Sends the user to another site; takes no answer. The flow goes on with `resume` when they are back.
      type: object
      required: [id, type, redirectMethod]
      properties:
        id: { type: string }
        type: { type: string, const: RedirectCallback }
        redirectMethod: { type: string, x-extensible-enum: [GET, POST], description: How the other site is asked. }
        go:
          type: string
          description: >-
            The path that leads there, once, to be opened as a page (`location.assign`). `GET flows/{flow}` gives a fresh one.
    SelectIdPCallback:
      description: Asks with which identity provider to sign in.
      type: object
      required: [id, type, providers, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: SelectIdPCallback }
        providers:
          type: array
          items: { type: object, additionalProperties: true }
          description: Each with `provider` and perhaps `uiConfig`; `localAuthentication` stays here.
        value: { type: string, description: What is chosen now; empty for nothing. }
        answer:
          type: object
          additionalProperties: true
          description: The `provider` of one of them.
    StringAttributeInputCallback:
      description: Asks for a text of the user's profile that has to meet policies.
      type: object
      required: [id, type, name, required, prompt, failedPolicies, validateOnly, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: StringAttributeInputCallback }
        name: { type: string, description: The name of the attribute. }
        required: { type: boolean, description: Whether the attribute must not be left empty; the provider judges. }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        value: { type: string, description: What the field begins with. }
        answer:
          type: object
          additionalProperties: true
          description: A text; where the provider can check without going on, an object of it as `value` and, if wanted, `validateOnly`.
    SuspendedTextOutputCallback:
      description: Says that the journey goes on by a link that was sent; takes no answer.
      type: object
      required: [id, type, message]
      properties:
        id: { type: string }
        type: { type: string, const: SuspendedTextOutputCallback }
        message: { type: string }
    TermsAndConditionsCallback:
      description: Asks to accept terms.
      type: object
      required: [id, type, version, terms, createDate, answer]
      properties:
        id: { type: string }
        type: { type: string, const: TermsAndConditionsCallback }
        version: { type: string }
        terms: { type: string }
        createDate: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: A truth value.
    TextInputCallback:
      description: Asks for a text.
      type: object
      required: [id, type, prompt, defaultText, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: TextInputCallback }
        prompt: { type: string }
        defaultText: { type: string }
        value: { type: string, description: What the field begins with. }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    TextOutputCallback:
      description: A message; takes no answer unless it stands for a question.
      type: object
      required: [id, type, message, messageType]
      properties:
        id: { type: string }
        type: { type: string, const: TextOutputCallback }
        message: { type: string }
        messageType: { type: integer, enum: [-1, 0, 1, 2], description: '0 information, 1 warning, 2 error, -1 unknown.' }
        specialised:
          type: string
          x-extensible-enum: [qr_code, recovery_codes, webauthn_registration, webauthn_authentication]
          description: What stands for more than a message.
        uri: { type: string, description: 'To be drawn as a QR code; with `data:` the image itself.' }
        codes: { type: array, items: { type: string }, description: Recovery codes; none where they could not be read. }
        deviceName: { type: string, description: What the device was named that the codes are for. }
        publicKey: { type: object, additionalProperties: true, description: Of WebAuthn as in `MetadataCallback`. }
        answer: { type: object, additionalProperties: true, description: Of WebAuthn as in `MetadataCallback`. }
    UnsupportedCallback:
      description: >-
        A type that the server does not know; takes no answer where its inputs are no values that a page could ask for, and
        goes back to the provider as it came when nobody answers.
      type: object
      required: [id, type, providerType, outputs, raw]
      properties:
        id: { type: string }
        type: { type: string, const: UnsupportedCallback }
        providerType: { type: string, description: The provider's name of the type. }
        outputs: { type: object, additionalProperties: true, description: 'What it shows, by name.' }
        raw: { type: object, additionalProperties: true, description: The callback as the provider sent it but for what its inputs should not tell. }
        answer:
          type: object
          additionalProperties: true
          description: An object of the names of its inputs to their values, all of them together.
    ValidatedCreatePasswordCallback:
      description: Asks for a new password that has to meet policies.
      type: object
      required: [id, type, prompt, failedPolicies, validateOnly, echoOn, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ValidatedCreatePasswordCallback }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        echoOn: { type: boolean, description: Whether what is typed may be shown. }
        answer:
          type: object
          additionalProperties: true
          description: A text; where the provider can check without going on, an object of it as `value` and, if wanted, `validateOnly`.
    ValidatedCreateUsernameCallback:
      description: Asks for a new user name that has to meet policies.
      type: object
      required: [id, type, prompt, failedPolicies, validateOnly, value, answer]
      properties:
        id: { type: string }
        type: { type: string, const: ValidatedCreateUsernameCallback }
        prompt: { type: string }
        policies: { description: 'The policies as the provider sends them: an object, a list, or nothing.' }
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        value: { type: string, description: What the field begins with. }
        answer:
          type: object
          additionalProperties: true
          description: A text; where the provider can check without going on, an object of it as `value` and, if wanted, `validateOnly`.
    Collector:
      description: |
        One question, text or button of a page of DaVinci. Its `id` is the name of its answer in `values` and of what was
        pressed in `action`. One that can be answered has `answer`, the JSON Schema of its answer, as a callback has; one
        without it takes none. `required` and the rules are held against answers when the page is submitted.
      oneOf:
        - $ref: '#/components/schemas/ActionCollector'
        - $ref: '#/components/schemas/BooleanCollector'
        - $ref: '#/components/schemas/DeviceAuthenticationCollector'
        - $ref: '#/components/schemas/DeviceRegistrationCollector'
        - $ref: '#/components/schemas/FidoAuthenticationCollector'
        - $ref: '#/components/schemas/FidoRegistrationCollector'
        - $ref: '#/components/schemas/FlowCollector'
        - $ref: '#/components/schemas/IdpCollector'
        - $ref: '#/components/schemas/ImageCollector'
        - $ref: '#/components/schemas/MetadataCollector'
        - $ref: '#/components/schemas/MultiSelectCollector'
        - $ref: '#/components/schemas/PasswordCollector'
        - $ref: '#/components/schemas/PhoneNumberCollector'
        - $ref: '#/components/schemas/PollingCollector'
        - $ref: '#/components/schemas/ProtectCollector'
        - $ref: '#/components/schemas/QrCodeCollector'
        - $ref: '#/components/schemas/ReadOnlyCollector'
        - $ref: '#/components/schemas/ReadOnlyTextCollector'
        - $ref: '#/components/schemas/RecognizeCollector'
        - $ref: '#/components/schemas/RichTextCollector'
        - $ref: '#/components/schemas/SingleSelectCollector'
        - $ref: '#/components/schemas/SubmitCollector'
        - $ref: '#/components/schemas/TextCollector'
        - $ref: '#/components/schemas/UnknownCollector'
      discriminator:
        propertyName: type
        mapping:
          ActionCollector: '#/components/schemas/ActionCollector'
          BooleanCollector: '#/components/schemas/BooleanCollector'
          DeviceAuthenticationCollector: '#/components/schemas/DeviceAuthenticationCollector'
          DeviceRegistrationCollector: '#/components/schemas/DeviceRegistrationCollector'
          FidoAuthenticationCollector: '#/components/schemas/FidoAuthenticationCollector'
          FidoRegistrationCollector: '#/components/schemas/FidoRegistrationCollector'
          FlowCollector: '#/components/schemas/FlowCollector'
          IdpCollector: '#/components/schemas/IdpCollector'
          ImageCollector: '#/components/schemas/ImageCollector'
          MetadataCollector: '#/components/schemas/MetadataCollector'
          MultiSelectCollector: '#/components/schemas/MultiSelectCollector'
          PasswordCollector: '#/components/schemas/PasswordCollector'
          PhoneNumberCollector: '#/components/schemas/PhoneNumberCollector'
          PollingCollector: '#/components/schemas/PollingCollector'
          ProtectCollector: '#/components/schemas/ProtectCollector'
          QrCodeCollector: '#/components/schemas/QrCodeCollector'
          ReadOnlyCollector: '#/components/schemas/ReadOnlyCollector'
          ReadOnlyTextCollector: '#/components/schemas/ReadOnlyTextCollector'
          RecognizeCollector: '#/components/schemas/RecognizeCollector'
          RichTextCollector: '#/components/schemas/RichTextCollector'
          SingleSelectCollector: '#/components/schemas/SingleSelectCollector'
          SubmitCollector: '#/components/schemas/SubmitCollector'
          TextCollector: '#/components/schemas/TextCollector'
          UnknownCollector: '#/components/schemas/UnknownCollector'
    ActionCollector:
      description: A button of a type that the server does not know; as `FlowCollector`. It takes no answer.
      type: object
      required: [id, type, category, label]
      properties:
        id: { type: string }
        type: { type: string, const: ActionCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
    BooleanCollector:
      description: Asks for yes or no; where it is `required`, for yes.
      type: object
      required: [id, type, category, label, required, value, appearance]
      properties:
        id: { type: string }
        type: { type: string, const: BooleanCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        value: { type: boolean, description: What is chosen now. }
        appearance: { type: string, x-extensible-enum: [CHECKBOX, SWITCH] }
        errorMessage: { type: string, description: What to tell who says no to a required one. }
        segments: { type: array, items: { $ref: '#/components/schemas/TextSegment' } }
        answer:
          type: object
          additionalProperties: true
          description: True or false.
    DeviceAuthenticationCollector:
      description: Asks for one of the user's devices; `next` with its id as `action` sends the page.
      type: object
      required: [id, type, category, label, required, options]
      properties:
        id: { type: string }
        type: { type: string, const: DeviceAuthenticationCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        options: { type: array, items: { $ref: '#/components/schemas/Device' } }
        value: { type: string, description: The `id` of the one that is chosen now. }
        answer:
          type: object
          additionalProperties: true
          description: The `id` of an option.
    DeviceRegistrationCollector:
      description: Asks which kind of device to add; `next` with its id as `action` sends the page.
      type: object
      required: [id, type, category, label, required, options]
      properties:
        id: { type: string }
        type: { type: string, const: DeviceRegistrationCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        options: { type: array, items: { $ref: '#/components/schemas/DeviceKind' } }
        answer:
          type: object
          additionalProperties: true
          description: The `type` of an option.
    FidoAuthenticationCollector:
      description: Asks the browser for a signature by a passkey; its id as `action` sends the page.
      type: object
      required: [id, type, category, label, required, trigger]
      properties:
        id: { type: string }
        type: { type: string, const: FidoAuthenticationCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        trigger: { type: string, description: 'With `BUTTON` the browser is asked when the user presses one, else at once.' }
        publicKey:
          type: object
          additionalProperties: true
          description: What `PublicKeyCredential.parseRequestOptionsFromJSON` takes; absent where browsers have no credential for this server.
        answer:
          type: object
          additionalProperties: true
          description: An object of `credential` as the browser's `toJSON()` gives it, or of `error` with the `name` and perhaps the `message` of what the browser threw.
    FidoRegistrationCollector:
      description: Asks the browser for a new passkey; its id as `action` sends the page.
      type: object
      required: [id, type, category, label, required, trigger]
      properties:
        id: { type: string }
        type: { type: string, const: FidoRegistrationCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        trigger: { type: string, description: 'With `BUTTON` the browser is asked when the user presses one, else at once.' }
        publicKey:
          type: object
          additionalProperties: true
          description: What `PublicKeyCredential.parseCreationOptionsFromJSON` takes; absent where browsers have no credential for this server.
        answer:
          type: object
          additionalProperties: true
          description: An object of `credential` as the browser's `toJSON()` gives it, or of `error` with the `name` and perhaps the `message` of what the browser threw.
    FlowCollector:
      description: Another way on, which needs no answers; `next` with its id as `action`. It takes no answer.
      type: object
      required: [id, type, category, label, style]
      properties:
        id: { type: string }
        type: { type: string, const: FlowCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        style: { type: string, x-extensible-enum: [button, link] }
    IdpCollector:
      description: Leads to another identity provider; takes no answer. The flow goes on with `resume` when the user is back.
      type: object
      required: [id, type, category, label, idpId, idpType, enabled]
      properties:
        id: { type: string }
        type: { type: string, const: IdpCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        idpId: { type: string }
        idpType: { type: string, description: 'The kind of provider, `GOOGLE` for instance.' }
        enabled: { type: boolean, description: Whether it leads anywhere now. }
        go:
          type: string
          description: >-
            The path that leads there, once, to be opened as a page (`location.assign`). `GET flows/{flow}` gives a fresh one.
    ImageCollector:
      description: A picture; takes no answer.
      type: object
      required: [id, type, category, alt]
      properties:
        id: { type: string }
        type: { type: string, const: ImageCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        src: { type: string, description: An https address; absent where the provider's is none. }
        alt: { type: string }
        href: { type: string, description: Where a click leads. }
    MetadataCollector:
      description: Something for a program of another vendor; its id as `action` sends the page.
      type: object
      required: [id, type, category, payload]
      properties:
        id: { type: string }
        type: { type: string, const: MetadataCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        payload: { description: As the provider sends it. }
        answer:
          type: object
          additionalProperties: true
          description: An object as that program wants it; of a fault an object of `error` with `code` and `message`.
    MultiSelectCollector:
      description: Asks for any of several options.
      type: object
      required: [id, type, category, label, required, options, value, style]
      properties:
        id: { type: string }
        type: { type: string, const: MultiSelectCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        options: { type: array, items: { $ref: '#/components/schemas/CollectorOption' } }
        value: { type: array, items: { type: string }, description: What is chosen now. }
        style: { type: string, x-extensible-enum: [checkbox, combobox] }
        freeText: { type: boolean, description: Always true; texts of the user's own are taken. }
        answer:
          type: object
          additionalProperties: true
          description: A list of values of options; with `freeText` also of own texts of 256 characters, 50 in all.
    PasswordCollector:
      description: Asks for a password.
      type: object
      required: [id, type, category, label, required, verify]
      properties:
        id: { type: string }
        type: { type: string, const: PasswordCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        verify: { type: boolean, description: Whether it is asked for twice. }
        passwordPolicy: { $ref: '#/components/schemas/PasswordPolicy' }
        answer:
          type: object
          additionalProperties: true
          description: A text; with `verify` also an object of `value` and `confirm`, of which one is sent.
    PhoneNumberCollector:
      description: Asks for a telephone number.
      type: object
      required: [id, type, category, label, required, value, defaultCountryCode, validatePhoneNumber, showExtension]
      properties:
        id: { type: string }
        type: { type: string, const: PhoneNumberCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        value: { $ref: '#/components/schemas/PhoneNumber' }
        defaultCountryCode: { type: string, description: Two letters; empty for none. }
        validatePhoneNumber: { type: boolean }
        showExtension: { type: boolean }
        extensionLabel: { type: string }
        answer:
          type: object
          additionalProperties: true
          description: An object of `phoneNumber` and perhaps `countryCode`; with `showExtension` perhaps `extension`.
    PollingCollector:
      description: Asks to wait, and then to poll, which is `next` with its id as `action`. It takes no answer.
      type: object
      required: [id, type, category, mode, pollInterval, retriesLeft]
      properties:
        id: { type: string }
        type: { type: string, const: PollingCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        mode: { type: string, x-extensible-enum: [challenge, continue, broken] }
        pollInterval: { type: integer, minimum: 500, maximum: 60000, description: Milliseconds between two polls. }
        retriesLeft:
          type: integer
          minimum: 0
          maximum: 600
          description: How often the provider may still be asked; 0 of a wait that is over, which is polled no more.
        nextPollIn:
          type: integer
          minimum: 0
          description: Milliseconds until the provider may be asked again; an earlier poll gets the page as it is.
    ProtectCollector:
      description: Wants the signals of PingOne Protect, taken by its script just before the page is sent.
      type: object
      required: [id, type, category, behavioralDataCollection, universalDeviceIdentification]
      properties:
        id: { type: string }
        type: { type: string, const: ProtectCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        behavioralDataCollection: { type: boolean }
        universalDeviceIdentification: { type: boolean }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    QrCodeCollector:
      description: A picture to be read by another device; takes no answer.
      type: object
      required: [id, type, category, fallbackText]
      properties:
        id: { type: string }
        type: { type: string, const: QrCodeCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        src: { type: string, description: A `data:image/` address; absent where the provider's cannot be shown. }
        fallbackText: { type: string, description: What to do or type where it cannot be read. }
    ReadOnlyCollector:
      description: A text; takes no answer.
      type: object
      required: [id, type, category, content]
      properties:
        id: { type: string }
        type: { type: string, const: ReadOnlyCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        content: { type: string }
    ReadOnlyTextCollector:
      description: A text to agree to; takes no answer.
      type: object
      required: [id, type, category, content, enabled]
      properties:
        id: { type: string }
        type: { type: string, const: ReadOnlyTextCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        content: { type: string }
        title: { type: string }
        enabled: { type: boolean }
    RecognizeCollector:
      description: Asks the page to recognise a person by PingOne Recognize, or to enrol one.
      type: object
      required: [id, type, category, operationType, transactionData, audience, clientState, generateClientState]
      properties:
        id: { type: string }
        type: { type: string, const: RecognizeCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        operationType: { type: string }
        transactionData: { type: string }
        audience: { type: string }
        clientState: { type: string }
        generateClientState: { type: boolean }
        answer:
          type: object
          additionalProperties: true
          description: An object of any of `signedJwt`, `clientState`, `recognizeId`, `devicePublicSigningKey`, `clientError` and `clientErrorCode`, each a text.
    RichTextCollector:
      description: A text with links; takes no answer.
      type: object
      required: [id, type, category, content, segments]
      properties:
        id: { type: string }
        type: { type: string, const: RichTextCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        content: { type: string, description: The same without links. }
        segments: { type: array, items: { $ref: '#/components/schemas/TextSegment' } }
    SingleSelectCollector:
      description: Asks for one of several options.
      type: object
      required: [id, type, category, label, required, options, value, style]
      properties:
        id: { type: string }
        type: { type: string, const: SingleSelectCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        options: { type: array, items: { $ref: '#/components/schemas/CollectorOption' } }
        value: { type: string, description: What is chosen now; empty for nothing. }
        style: { type: string, x-extensible-enum: [dropdown, radio] }
        answer:
          type: object
          additionalProperties: true
          description: The value of an option, or the empty text for none.
    SubmitCollector:
      description: A button that sends the page; `next` with its id as `action`. It takes no answer.
      type: object
      required: [id, type, category, label]
      properties:
        id: { type: string }
        type: { type: string, const: SubmitCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
    TextCollector:
      description: Asks for a text.
      type: object
      required: [id, type, category, label, required, value]
      properties:
        id: { type: string }
        type: { type: string, const: TextCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        label: { type: string }
        required: { type: boolean }
        value: { type: string, description: What the field begins with. }
        validation: { $ref: '#/components/schemas/TextRule' }
        protect: { type: boolean, description: Always true; it wants the signals of PingOne Protect and is drawn by nobody. }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    UnknownCollector:
      description: A field of a type that the server does not know, or none at all; takes no answer.
      type: object
      required: [id, type, category, providerType]
      properties:
        id: { type: string }
        type: { type: string, const: UnknownCollector }
        category: { $ref: '#/components/schemas/CollectorCategory' }
        providerType: { type: string, description: The provider's name of the type; empty for none. }
        label: { type: string }
        raw: { description: 'The field without its links; absent where it is long, or not for browsers.' }
    CollectorCategory:
      description: What kind of value it has, in the words of Ping's SDK for JavaScript.
      type: string
      x-extensible-enum: [SingleValueCollector, ValidatedSingleValueCollector, MultiValueCollector, ObjectValueCollector,
        SingleValueAutoCollector, ObjectValueAutoCollector, ActionCollector, NoValueCollector, UnknownCollector]
    CollectorOption:
      type: object
      required: [label, value]
      properties:
        label: { type: string }
        value: { type: string }
    DeviceKind:
      type: object
      required: [type, title, description]
      properties:
        type: { type: string, description: 'What kind it is, `EMAIL` for instance.' }
        title: { type: string }
        description: { type: string }
        icon: { type: string, description: An https address. }
    Device:
      type: object
      required: [id, type, title, description, default]
      properties:
        id: { type: string }
        type: { type: string, description: 'What kind it is, `SMS` for instance.' }
        title: { type: string }
        description: { type: string }
        icon: { type: string, description: An https address. }
        default: { type: boolean, description: Whether it is the one of the form's own choice. }
    PhoneNumber:
      type: object
      required: [countryCode, phoneNumber]
      properties:
        countryCode: { type: string, description: Two letters. }
        phoneNumber: { type: string }
        extension: { type: string }
    TextRule:
      description: What a text has to be like.
      type: object
      properties:
        regex: { type: string, description: A pattern that is found anywhere in the text; one that the server does not understand is no rule. }
        errorMessage: { type: string, description: What to tell the user where it is not. }
    TextSegment:
      description: A part of a text; with `href` a link.
      type: object
      required: [text]
      properties:
        text: { type: string }
        href: { type: string, description: 'With the scheme https, http or mailto.' }
        target: { type: string, x-extensible-enum: [_self, _blank] }
    PasswordPolicy:
      description: The rules that can be checked before a password is sent; the provider may have more.
      type: object
      properties:
        length: { $ref: '#/components/schemas/PasswordLength' }
        minUniqueCharacters: { type: integer, minimum: 0 }
        maxRepeatedCharacters: { type: integer, minimum: 0, description: In a row. }
        minCharacters:
          type: object
          additionalProperties: { type: integer }
          description: How many of each set are needed; the name is the set.
    PasswordLength:
      type: object
      properties:
        min: { type: integer, minimum: 0 }
        max: { type: integer, minimum: 0 }
    FailedPolicy:
      type: object
      required: [requirement, params, message]
      properties:
        requirement: { type: string, description: 'The key, `MIN_LENGTH` for instance.' }
        params: { type: object, additionalProperties: true }
        message: { type: string, description: 'What it means, in English.' }
    TextAnswer:
      description: The schema of a text.
      type: object
      required: [type]
      properties:
        type: { type: string, const: string }
        title: { type: string, description: What stands beside the field. }
        default: { type: string, description: What the field begins with. }
        maxLength: { type: integer }
        pattern: { type: string, description: What is found in a good one. }
        hidden: { type: boolean, description: True for what a program fills in and no page draws. }
        autocomplete: { type: string, description: 'What a browser may fill in by itself, in a word of the HTML standard.' }
    SecretAnswer:
      description: The schema of a text that is never shown.
      type: object
      required: [type, writeOnly]
      properties:
        type: { type: string, const: string }
        title: { type: string, description: What stands beside the field. }
        maxLength: { type: integer }
        writeOnly: { type: boolean, description: Always true. }
        autocomplete: { type: string, description: 'What a browser may fill in by itself, in a word of the HTML standard.' }

    Problem:
      description: A problem document (RFC 9457).
      type: object
      required: [type, title, status, detail, instance]
      properties:
        type: { $ref: '#/components/schemas/ProblemType' }
        title: { type: string }
        status: { type: integer, minimum: 400, maximum: 599 }
        detail: { type: string }
        instance: { type: string, description: The request id. }
        error: { type: string, x-extensible-enum: [invalid_request], description: 'With `invalid-logout-token`, for the provider.' }
        error_description: { type: string, description: 'With `invalid-logout-token`; equal to `detail`.' }
        reason:
          type: string
          x-extensible-enum: [idle, absolute, ended]
          description: |
            Why it is over, with `signed-out` and `flow-expired`, where the server knows it: it was not used for too long, its
            time was over, or it was ended; a flow that never was may count as ended.
        retryAfter: { type: integer, minimum: 1, description: Seconds. }
        fields: { type: array, items: { $ref: '#/components/schemas/ProblemField' } }
        confirm: { $ref: '#/components/schemas/SubjectQuestion' }
        stepUp: { $ref: '#/components/schemas/StepUp' }
        required: { $ref: '#/components/schemas/TokenDemand' }
        node: { $ref: '#/components/schemas/FlowNode' }
    SessionList:
      type: object
      required: [sessions]
      properties:
        sessions: { type: array, maxItems: 256, items: { $ref: '#/components/schemas/ListedSession' } }
    LogoutTokenForm:
      type: object
      required: [logout_token]
      properties: { logout_token: { type: string, minLength: 1 } }
      additionalProperties: { type: string }
    ListedSession:
      description: A browser session in which the user is signed in. Times are seconds since 1970.
      type: object
      required: [id, current, begun, lastUsed, expires, device, signIns]
      properties:
        id: { type: string, description: A name that opens nothing. }
        current: { type: boolean, description: True for the session of the call. }
        begun: { type: integer, description: The first sign-in of the session. }
        lastUsed: { type: integer, description: 'The last use, to about a minute.' }
        expires: { type: integer, description: The end of the session unless it is used. }
        device:
          type: [string, 'null']
          description: Browser and system in words of the server, as far as the browser names them.
        signIns: { type: array, items: { $ref: '#/components/schemas/ListedSignIn' } }
    ListedSignIn:
      type: object
      required: [client, account, signedInAt, authenticatedAt]
      properties:
        client: { type: string }
        account: { type: [string, 'null'], description: Null for the default account. }
        signedInAt: { type: integer }
        authenticatedAt: { type: integer, description: 'When the user authenticated, as far as the provider says.' }
    EndedSessions:
      type: object
      required: [ended]
      properties:
        ended: { type: integer, minimum: 0, description: The number of sessions. }
    SubjectQuestion:
      description: |
        The sign-in of a link, with `subject-changed`: show the user who it is of, as text, and confirm it by `next` with these
        `flow` and `step`, or cancel the flow. Texts have no control characters, and at most 64 characters, and an ellipsis where there
        were more.
      type: object
      required: [flow, step, expiresIn, name, subject]
      properties:
        flow: { type: string }
        step: { type: integer, minimum: 1 }
        expiresIn: { type: integer, minimum: 0, description: Seconds until the sign-in is ended. }
        name: { type: string, description: 'What the user signs in with, else the name, the email address, or the subject.' }
        subject: { type: string }
    StepUp:
      description: How to get a stronger token, with `step-up-required`; pass `for` to `start` of the instance.
      type: object
      required: [instance, start, for]
      properties:
        instance: { type: string }
        start: { type: string, description: The path of that `start` below the base path. }
        for: { type: string, maxLength: 64 }
    TokenDemand:
      description: What a token has to show.
      type: object
      properties:
        authLevel: { type: integer, minimum: 1 }
        amr: { $ref: '#/components/schemas/MethodDemand' }
        acr: { type: string, description: The value for `acr_values`. }
        scope: { type: array, items: { type: string } }
        maxAge: { type: integer, minimum: 0, description: Seconds since the user authenticated. }
    MethodDemand:
      description: The methods of authentication that a token has to name, all of some or any.
      type: object
      minProperties: 1
      maxProperties: 1
      properties:
        all: { type: array, items: { type: string } }
        any: { type: array, items: { type: string } }
    ProblemType:
      type: string
      x-extensible-enum:
        - /problems/malformed
        - /problems/invalid-logout-token
        - /problems/duplicate-cookie
        - /problems/signed-out
        - /problems/device-proof-required
        - /problems/device-proof-missing
        - /problems/device-proof-refused
        - /problems/device-challenge
        - /problems/device-bound
        - /problems/device-required
        - /problems/csrf
        - /problems/step-up-required
        - /problems/step-up-unavailable
        - /problems/step-up-failed
        - /problems/interaction-needed
        - /problems/token-required
        - /problems/invalid-token
        - /problems/insufficient-user-authentication
        - /problems/insufficient-scope
        - /problems/issuer-unavailable
        - /problems/upstream-unavailable
        - /problems/upstream-failed
        - /problems/upstream-timeout
        - /problems/upstream-busy
        - /problems/not-found
        - /problems/unknown-instance
        - /problems/unknown-session
        - /problems/method-not-allowed
        - /problems/request-timeout
        - /problems/session-changed
        - /problems/stale-step
        - /problems/step-in-progress
        - /problems/no-pending-return
        - /problems/subject-changed
        - /problems/too-many-accounts
        - /problems/flow-expired
        - /problems/body-too-large
        - /problems/target-too-long
        - /problems/unsupported-media-type
        - /problems/expectation-failed
        - /problems/misdirected-request
        - /problems/invalid-answers
        - /problems/not-allowed
        - /problems/too-many-requests
        - /problems/headers-too-large
        - /problems/internal-error
        - /problems/unsupported-transfer-coding
        - /problems/provider-refused
        - /problems/busy
        - /problems/interrupted
        - /problems/provider-unavailable
        - /problems/stopping
        - /problems/store-unavailable
        - /problems/deadline-exceeded
        - /problems/unsupported-version
    ProblemField:
      type: object
      required: [id, code, message]
      properties:
        id: { type: string, description: 'The member or header field of the request, or the question.' }
        code:
          type: string
          x-extensible-enum: [unknown-member, required, wrong-type, out-of-range, too-long, repeated, not-allowed,
            unknown-question, unknown-action, not-answerable, not-offered, wrong-challenge, wrong-origin,
            wrong-relying-party, pattern, length, unique-characters, repeated-characters, minimum-characters, mismatch]
        message: { type: string, description: For the developer. }

"""####
}
