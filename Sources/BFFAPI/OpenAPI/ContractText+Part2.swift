// swift-format-ignore-file
// Written by scripts/embed-contract from openapi/openapi.yaml: change that file and run `make openapi`.

extension ContractText {
    static let part2 = ####"""
        5XX: { description: The API's answer. }

components:
  securitySchemes:
    bearer:
      type: http
      scheme: bearer
    cookie:
      type: apiKey
      in: cookie
      name: __Host-Http-cloakroom
      description: |
        Opaque; `Secure; HttpOnly; SameSite=Strict; Path=/`. On `http://localhost` with `insecureHttp` it is named
        `cloakroom-<port>` and not `Secure`.

  parameters:
    csrf:
      name: X-CSRF
      in: header
      required: true
      description: Proves that a script of the application made the call.
      schema:
        const: '1'
    instance:
      name: instance
      in: path
      required: true
      description: A client of the configuration, perhaps for an account of this browser.
      schema: { type: string, pattern: '^[A-Za-z0-9_-]{1,32}(:[A-Za-z0-9_-]{1,32})?$' }
      examples:
        default: { value: standard }
        account: { value: 'standard:alice' }
    flow:
      name: flow
      in: path
      required: true
      schema: { $ref: '#/components/schemas/FlowID' }

  headers:
    X-Request-Id:
      description: Names the request in the server's log.
      schema: { type: string }
    Retry-After:
      description: Seconds to wait before the next try.
      schema: { type: integer, minimum: 1 }
    WWW-Authenticate:
      description: A scheme that no browser asks anybody about.
      schema: { type: string }
    Allow:
      description: With 405, the methods that the path has.
      schema: { type: string }
    X-Auth-Subject:
      description: Whose token it is; absent for a client's own.
      schema: { type: string }
    X-Auth-Client:
      description: The client whose own token it is (client credentials), where the requirement admits those; absent for users' tokens.
      schema: { type: string }
    X-Auth-Scope:
      description: The scopes that are granted, with spaces between them.
      schema: { type: string }
    X-Auth-Acr:
      description: How strongly the user authenticated, in the issuer's word.
      schema: { type: string }
    X-Auth-Level:
      description: AM's authentication level.
      schema: { type: integer }

  requestBodies:
    Empty:
      required: false
      content:
        application/json:
          schema: { type: object, additionalProperties: false }

  responses:
    Node:
      description: What the flow shows now. All node types are 200.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/Node' }
          examples:
            page:
              value:
                type: continue
                kind: journey
                flow: f_6Hq0mXr1Tn3bZs8cVd2wEg
                step: 1
                expiresIn: 599
                stage: UsernamePassword
                header: Sign in
                description: With your user name and password.
                callbacks:
                  - { id: IDToken1, type: NameCallback, prompt: User Name, value: '', answer: { type: string } }
                  - { id: IDToken2, type: PasswordCallback, prompt: Password,
                      answer: { type: string, writeOnly: true } }
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
                  subject: demo
                  claims: { sub: demo, name: Demo User }
                  session: { realm: /alpha, successUrl: /am/console }
                  token: { scope: [openid, profile], acr: null, amr: [pwd], authLevel: 0, authTime: 1767225600,
                           expiresIn: 299 }
                  expiresIn: { idle: 1800, absolute: 28800 }
    User:
      description: Who is signed in.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/User' }
    Done:
      description: Done.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
    NotRevoked:
      description: The tokens are forgotten here, and the provider did not take their revocation.
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/json:
          schema: { $ref: '#/components/schemas/NotRevoked' }
    Malformed:
      description: '`malformed`; `duplicate-cookie`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
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
                fields: [{ id: journy, code: unknown-member, message: There is no such member. }]
    SignedOut:
      description: '`signed-out`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        WWW-Authenticate: { $ref: '#/components/headers/WWW-Authenticate' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    Forbidden:
      description: '`csrf`; `interaction-needed`; `step-up-required`; `step-up-failed`; `step-up-unavailable`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    NotFound:
      description: '`unknown-instance`; `not-found`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    Conflict:
      description: '`stale-step`, with the node that the flow shows now; `step-in-progress`; `session-changed`;
        `subject-changed`; `too-many-accounts`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    FlowExpired:
      description: '`flow-expired`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    BodyTooLarge:
      description: '`body-too-large`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    UnsupportedMediaType:
      description: '`unsupported-media-type`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    MisdirectedRequest:
      description: '`misdirected-request`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    Unprocessable:
      description: '`not-allowed` by the client''s configuration; `invalid-answers`. Nothing was sent to the provider.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
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
                instance: 9f0c6b1d2e3a4f58-00000000002b
                fields: [{ id: IDToken9, code: unknown-question, message: the page has no such question }]
    TooManyRequests:
      description: '`too-many-requests`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    ProviderRefused:
      description: '`provider-refused`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    UpstreamFailed:
      description: '`upstream-failed`; `upstream-unavailable`; `provider-refused`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    UpstreamTimeout:
      description: '`upstream-timeout`; `deadline-exceeded`.'
      headers: { X-Request-Id: { $ref: '#/components/headers/X-Request-Id' } }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    Unavailable:
      description: '`provider-unavailable`; `store-unavailable`; `issuer-unavailable`; `interrupted`; `stopping`;
        `busy`; `upstream-busy`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Retry-After: { $ref: '#/components/headers/Retry-After' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    BearerRefused:
      description: '`malformed`; `token-required`; `invalid-token`; `insufficient-user-authentication`;
        `insufficient-scope`. The challenge is that of RFC 6750 and RFC 9470; `required` says the same.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        WWW-Authenticate: { $ref: '#/components/headers/WWW-Authenticate' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }
    Problem:
      description: '`method-not-allowed`; what is wrong with the request as such: `request-timeout`, `target-too-long`,
        `headers-too-large` and their like; `internal-error`; `deadline-exceeded`.'
      headers:
        X-Request-Id: { $ref: '#/components/headers/X-Request-Id' }
        Allow: { $ref: '#/components/headers/Allow' }
      content:
        application/problem+json:
          schema: { $ref: '#/components/schemas/Problem' }

  schemas:
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
        journey: { type: string, maxLength: 256, description: The client's first one unless said. }
        forceAuth: { type: boolean, default: false, description: Runs the whole journey although a provider session lives. }
        noSession: { type: boolean, default: false, description: Makes no provider session; nothing is signed in. }
        acrValues: { type: array, maxItems: 16, items: { type: string, maxLength: 256 } }
        prompt: { type: string, maxLength: 64 }
        loginHint: { type: string, maxLength: 256, description: For OpenID providers; a journey asks for the name itself. }
        uiLocales:
          type: array
          maxItems: 16
          items: { type: string, maxLength: 35 }
          description: Language tags, best first, for all pages of the flow; without them the browser's languages count.
        parameters:
          type: object
          maxProperties: 32
          additionalProperties: { type: string, maxLength: 2048 }
          description: For scripts of the journey; allow-listed by name.
        replace:
          type: boolean
          default: false
          description: Lets the sign-in change the instance's subject; otherwise that is 409 `subject-changed`.
        for:
          type: string
          maxLength: 64
          description: |
            What to step up for: `stepUp.for` of a `step-up-required`. The server then sets what the provider is asked for
            itself; the other members have no effect.

    NextRequest:
      type: object
      additionalProperties: false
      required: [flow, step]
      properties:
        flow: { type: string, maxLength: 128 }
        step: { type: integer, minimum: 1 }
        values:
          type: object
          description: Answers by question id, each as the question's `answer` schema says. What is left out stays as it is.
        action: { type: string, maxLength: 256, description: The id of the question that was pressed. }

    LogoutRequest:
      type: object
      additionalProperties: false
      properties:
        session: { type: boolean, default: false, description: Ends the provider session in any case. }

    Session:
      type: object
      additionalProperties: false
      required: [authenticated, accounts, instances, expiresIn]
      properties:
        authenticated: { type: boolean, description: Whether any instance is signed in. }
        accounts:
          type: array
          items: { type: string }
          description: The accounts in use; the empty name is the default account.
        instances: { type: array, items: { $ref: '#/components/schemas/Instance' } }
        expiresIn:
          oneOf:
            - $ref: '#/components/schemas/SessionExpiry'
            - type: 'null'
    Instance:
      type: object
      additionalProperties: false
      required: [instance, client, account, kind, state, subject, tokenExpiresIn, flows]
      properties:
        instance: { type: string, description: The name in paths. }
        client: { type: string }
        account: { type: [string, 'null'] }
        kind: { $ref: '#/components/schemas/Kind' }
        state: { enum: [none, in-progress, authenticated] }
        subject: { type: [string, 'null'] }
        tokenExpiresIn:
          oneOf:
            - $ref: '#/components/schemas/Seconds'
            - type: 'null'
        flows: { type: array, items: { $ref: '#/components/schemas/FlowID' } }
    SessionExpiry:
      type: object
      additionalProperties: false
      required: [idle, absolute]
      properties:
        idle: { $ref: '#/components/schemas/Seconds' }
        absolute: { $ref: '#/components/schemas/Seconds' }

    User:
      type: object
      additionalProperties: false
      required: [subject, claims, session, token, expiresIn]
      properties:
        subject: { type: string }
        claims: { type: object, description: What userinfo said; empty when it could not be asked. }
        session:
          type: object
          additionalProperties: false
          required: [realm, successUrl]
          properties:
            realm: { type: string }
            successUrl:
              type: [string, 'null']
              pattern: '^/([^/].*)?$'
              description: Only as a path of this origin.
        token:
          type: object
          additionalProperties: false
          required: [scope, acr, amr, authLevel, authTime, expiresIn]
          properties:
            scope: { type: array, items: { type: string } }
            acr: { type: [string, 'null'] }
            amr: { type: array, items: { type: string } }
            authLevel: { type: [integer, 'null'] }
            authTime: { type: [integer, 'null'], description: Seconds since 1970. }
            expiresIn:
              oneOf:
                - $ref: '#/components/schemas/Seconds'
                - type: 'null'
        expiresIn: { $ref: '#/components/schemas/SessionExpiry' }

    Kind:
      enum: [journey]

    Node:
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
      additionalProperties: false
      required: [type, kind, flow, step, expiresIn, callbacks]
      properties:
        type: { const: continue }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        step: { type: integer, minimum: 1 }
        expiresIn: { $ref: '#/components/schemas/Seconds' }
        stage: { type: string }
        header: { type: string }
        description: { type: string }
        callbacks: { type: array, items: { $ref: '#/components/schemas/Callback' } }
    ErrorNode:
      description: The provider refused the answers and the page can be answered again, as a new step.
      type: object
      additionalProperties: false
      required: [type, kind, flow, step, expiresIn, message, details, callbacks]
      properties:
        type: { const: error }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        step: { type: integer, minimum: 1 }
        expiresIn: { $ref: '#/components/schemas/Seconds' }
        message: { type: string }
        details: { type: array }
        stage: { type: string }
        header: { type: string }
        description: { type: string }
        callbacks: { type: array, items: { $ref: '#/components/schemas/Callback' } }
    FailureNode:
      description: The flow is over; start again.
      type: object
      additionalProperties: false
      required: [type, kind, reason]

"""####
}
