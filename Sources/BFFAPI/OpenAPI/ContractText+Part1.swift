// swift-format-ignore-file
// Written by scripts/embed-contract from openapi/openapi.yaml: change that file and run `make openapi`.

extension ContractText {
    static let part1 = ####"""
openapi: 3.1.0
info:
  title: Cloakroom
  version: '1'
  license: { name: Apache 2.0, identifier: Apache-2.0 }
  description: |
    A single-page app signs its users in with Ping Journeys through these calls. Cloakroom runs the journey, keeps the
    provider session and the tokens, and gives the browser one opaque cookie.

    Every call under `/bff` carries the header field `X-CSRF: 1`, reads included.
    Answers are JSON whatever `Accept` says. What is refused or fails is a problem document (RFC 9457) whose `type` names
    a page in `docs/problems`. `GET` operations answer `HEAD` too.

    Besides these operations a server passes calls on to the APIs of its configuration, with the token of the browser's
    session. Such calls carry that header field too; `X-BFF-Account` names the account, absent for the default one.
    What the server itself refuses about them is a problem document too, `step-up-required` for instance.
servers:
  - url: /
    description: The public address of the server.
tags:
  - { name: flows, description: Signing in. }
  - { name: user, description: Who is signed in. }
  - { name: logout, description: Signing out. }
  - { name: api, description: The APIs behind the routes of the configuration. }
  - { name: contract, description: This document. }
  - { name: admin, description: Health; on the admin listener. }
security:
  - cookie: []
  - {}

paths:
  /bff/session:
    get:
      operationId: getSession
      tags: [user]
      summary: The instances of this browser
      description: |
        Answers 200 also when nothing is signed in, and never extends the session. `instances` lists every client for the
        default account, and for other accounts the clients that have something to show. After a page reload the SPA finds
        here the flows that are under way.
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
                          subject: null, tokenExpiresIn: null, flows: [] }
                    expiresIn: null
                signedIn:
                  value:
                    authenticated: true
                    accounts: ['', alice]
                    instances:
                      - { instance: standard, client: standard, account: null, kind: journey, state: in-progress,
                          subject: null, tokenExpiresIn: null, flows: [f_6Hq0mXr1Tn3bZs8cVd2wEg] }
                      - { instance: 'standard:alice', client: standard, account: alice, kind: journey,
                          state: authenticated, subject: alice, tokenExpiresIn: 287, flows: [] }
                    expiresIn: { idle: 1799, absolute: 28799 }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/start:
    parameters:
      - $ref: '#/components/parameters/instance'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: startFlow
      tags: [flows]
      summary: Begins a flow
      description: |
        The answer is the first page of the journey, or its end: a provider session that lives already may sign the user
        in at once. Makes a session, with its cookie, for a browser that has none. A sign-in gives the session a new
        cookie, unless the session was signed in already and gets no more than it had. Journeys, acr values, prompts and
        parameters are allow-listed in the client's configuration. At most five flows of an instance run at once: the
        oldest idle one goes.
      requestBody:
        required: false
        content:
          application/json:
            schema: { $ref: '#/components/schemas/StartRequest' }
            examples:
              default: { value: {} }
              again: { value: { journey: Login, forceAuth: true, uiLocales: [en-GB, en] } }
              stepUp: { value: { for: high-value } }
      responses:
        '200': { $ref: '#/components/responses/Node' }
        '400': { $ref: '#/components/responses/Malformed' }
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
      - $ref: '#/components/parameters/instance'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: answerStep
      tags: [flows]
      summary: Answers a step
      description: |
        A step is sent to the provider once. The same bytes again get the same answer for a minute; another answer to a
        step that was answered is 409 `stale-step` with the node that the flow shows now. A sign-in gives the session a new
        cookie.
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
      responses:
        '200': { $ref: '#/components/responses/Node' }
        '400': { $ref: '#/components/responses/Malformed' }
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

  /bff/{instance}/flows/{flow}:
    parameters:
      - $ref: '#/components/parameters/instance'
      - $ref: '#/components/parameters/flow'
      - $ref: '#/components/parameters/csrf'
    get:
      operationId: getFlow
      tags: [flows]
      summary: The node that a flow shows now
      description: Lets a page that was reloaded go on. Asks the provider nothing.
      responses:
        '200': { $ref: '#/components/responses/Node' }
        '400': { $ref: '#/components/responses/Malformed' }
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '410': { $ref: '#/components/responses/FlowExpired' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
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
        '403': { $ref: '#/components/responses/Forbidden' }
        '404': { $ref: '#/components/responses/NotFound' }
        '409': { $ref: '#/components/responses/Conflict' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /bff/{instance}/user:
    parameters:
      - $ref: '#/components/parameters/instance'
      - $ref: '#/components/parameters/csrf'
    get:
      operationId: getUser
      tags: [user]
      summary: Subject, claims and facts about the token
      description: Renews the token first when its end is near. Extends the idle time of the session.
      parameters:
        - name: refresh
          in: query
          description: Reads the claims from the provider again.
          schema: { type: string, enum: ['true', 'false'], default: 'false' }
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
      - $ref: '#/components/parameters/instance'
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
      - $ref: '#/components/parameters/instance'
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
      - $ref: '#/components/parameters/instance'
      - $ref: '#/components/parameters/csrf'
    post:
      operationId: logoutInstance
      tags: [logout]
      summary: Signs an instance out
      description: |
        An instance with a token storage of its own in a shared provider session loses its tokens only. Otherwise, or with
        `session: true`, or when it is the last one, the provider session ends with the tokens of every instance that
        shares it.
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
      operationId: logout
      tags: [logout]
      summary: Signs the browser or one account out
      parameters:
        - name: account
          in: query
          description: The account; empty for the default one. Without it everything ends.
          schema: { type: string, pattern: '^[A-Za-z0-9_-]{0,32}$' }
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
              schema: { type: string }
        '400': { $ref: '#/components/responses/Malformed' }
        '421': { $ref: '#/components/responses/MisdirectedRequest' }
        default: { $ref: '#/components/responses/Problem' }

  /healthz:
    servers: [{ url: 'http://127.0.0.1:8081', description: The admin listener. }]
    get:
      operationId: getHealth
      tags: [admin]
      summary: Whether the process lives
      security: []
      responses:
        '200':
          description: It does.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Health' }
              examples: { alive: { value: { status: ok } } }
        default: { $ref: '#/components/responses/Problem' }

  /readyz:
    servers: [{ url: 'http://127.0.0.1:8081', description: The admin listener. }]
    get:
      operationId: getReadiness
      tags: [admin]
      summary: Whether the server can serve
      description: Asks the session store. 503 also while the server stops.
      security: []
      responses:
        '200':
          description: It can.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Health' }
              examples: { ready: { value: { status: ready } } }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /authz/{requirement}:
    servers: [{ url: 'http://127.0.0.1:8081', description: The admin listener; the public one for listed peers. }]
    get:
      operationId: authorize
      tags: [admin]
      summary: Whether a bearer token meets a requirement
      description: |
        For gateways and proxies that ask before they pass a request on. `signed-in` is always there. A cookie is not
        looked at, so no CSRF header is needed. A token in the query of this or of the original request is refused.
      security: [{ bearer: [] }]
      parameters:
        - name: requirement
          in: path
          required: true
          schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,64}$' }
      responses:
        '204':
          description: |
            It does. The fields say what the token says, and are absent where it says nothing; a value with other characters
            than printable ASCII, or with `%`, is percent-encoded.
          headers:
            X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
            X-Auth-Subject: { $ref: '#/components/headers/X-Auth-Subject' }
            X-Auth-Client: { $ref: '#/components/headers/X-Auth-Client' }
            X-Auth-Scope: { $ref: '#/components/headers/X-Auth-Scope' }
            X-Auth-Acr: { $ref: '#/components/headers/X-Auth-Acr' }
            X-Auth-Level: { $ref: '#/components/headers/X-Auth-Level' }
        '400': { $ref: '#/components/responses/BearerRefused' }
        '401': { $ref: '#/components/responses/BearerRefused' }
        '403': { $ref: '#/components/responses/BearerRefused' }
        '404': { $ref: '#/components/responses/NotFound' }
        '503': { $ref: '#/components/responses/Unavailable' }
        default: { $ref: '#/components/responses/Problem' }

  /api/{path}:
    parameters:
      - name: path
        in: path
        required: true
        description: The rest of the path, below a route of the configuration; it may have any number of segments.
        schema: { type: string }
      - name: X-BFF-Account
        in: header
        description: The account that the call is made for; absent for the default one.
        schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,32}$' }
      - $ref: '#/components/parameters/csrf'
    get:
      tags: [api]
      summary: A call to an API behind a route of the configuration, with any method that the route lists
      description: |
        The paths are those of the configuration; `/api` stands for them. The API's own answer comes back with its status,
        whatever that is but 1xx, 101, 401 and 407, and is told from an answer of the server by the media type and the
        `type` of a problem document. What the server itself refuses or cannot do about a call has one of the statuses
        below; it is never 409: a call that a change of the session cookie overtakes goes out with the token from before,
        or is a 503 `interrupted` with `Retry-After`.
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

"""####
}
