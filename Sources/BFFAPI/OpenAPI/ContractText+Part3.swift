// swift-format-ignore-file
// Written by scripts/embed-contract from openapi/openapi.yaml: change that file and run `make openapi`.

extension ContractText {
    static let part3 = ####"""
      properties:
        type: { const: failure }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        reason:
          type: string
          pattern: '^[a-z]+(-[a-z]+)*$'
          description: |
            Stable: `authentication-failed`, `journey-expired`, `suspended-expired`, `policy-failed`, `bad-request`,
            `provider-unavailable`, `outcome-unknown`, `consent-required`, `configuration-error` (an operator has to act),
            `account-mismatch`, ….
        message: { type: string, description: The provider's own text for the user. }
    NotRevoked:
      type: object
      additionalProperties: false
      required: [revoked, pending]
      properties:
        revoked: { const: false }
        pending: { type: boolean, description: Whether the server tries again; else the tokens stay good at the provider. }
    SuccessNode:
      description: >-
        The user is signed in; with `signedIn` false the journey ended well and brought nothing to sign in with (`noSession`,
        or a transaction, which the repeated call decides).
      type: object
      additionalProperties: false
      required: [type, kind, signedIn]
      properties:
        type: { const: success }
        kind: { $ref: '#/components/schemas/Kind' }
        flow: { $ref: '#/components/schemas/FlowID' }
        signedIn: { type: boolean }
        user: { $ref: '#/components/schemas/User' }

    Callback:
      description: |
        One question of a journey's page, or a text. `answer` is the JSON Schema of its answer; without it the question
        takes none. A renderer that goes by `answer` alone needs no list of types.
      type: object
      required: [id, type]
      properties:
        id: { type: string, description: The name of its answer in `values`. }
        type: { type: string }
        answer: { type: object }
      anyOf:
        - $ref: '#/components/schemas/NameCallback'
        - $ref: '#/components/schemas/PasswordCallback'
        - $ref: '#/components/schemas/TextInputCallback'
        - $ref: '#/components/schemas/TextOutputCallback'
        - $ref: '#/components/schemas/ChoiceCallback'
        - $ref: '#/components/schemas/ConfirmationCallback'
        - $ref: '#/components/schemas/HiddenValueCallback'
        - $ref: '#/components/schemas/ValidatedCreateUsernameCallback'
        - $ref: '#/components/schemas/ValidatedCreatePasswordCallback'
        - $ref: '#/components/schemas/UnsupportedCallback'
    NameCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, value, answer]
      properties:
        id: { type: string }
        type: { const: NameCallback }
        prompt: { type: string }
        value: { type: string, description: What the field begins with. }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    PasswordCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, answer]
      properties:
        id: { type: string }
        type: { const: PasswordCallback }
        prompt: { type: string }
        answer: { $ref: '#/components/schemas/SecretAnswer' }
    TextInputCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, answer]
      properties:
        id: { type: string }
        type: { const: TextInputCallback }
        prompt: { type: string }
        defaultText: { type: string }
        value: { type: string }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    TextOutputCallback:
      type: object
      additionalProperties: false
      required: [id, type, message, messageType]
      properties:
        id: { type: string }
        type: { const: TextOutputCallback }
        message: { type: string }
        messageType: { enum: [-1, 0, 1, 2], description: '0 information, 1 warning, 2 error, -1 unknown.' }
    ChoiceCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, choices, defaultChoice, value, answer]
      properties:
        id: { type: string }
        type: { const: ChoiceCallback }
        prompt: { type: string }
        choices: { type: array, items: { type: string } }
        defaultChoice: { type: integer }
        value: { type: integer, description: What is chosen now. }
        answer: { type: object, description: A position from 0. }
    ConfirmationCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, messageType, options, optionType, answer]
      properties:
        id: { type: string }
        type: { const: ConfirmationCallback }
        prompt: { type: string }
        messageType: { type: integer }
        options: { type: array, items: { type: string } }
        optionType: { type: integer }
        optionValues:
          type: array
          items: { type: integer }
          description: What each option sends, where that is not its position.
        defaultOption: { type: integer }
        answer: { type: object, description: The value of an option. }
    HiddenValueCallback:
      type: object
      additionalProperties: false
      required: [id, type, hiddenId, value, answer]
      properties:
        id: { type: string }
        type: { const: HiddenValueCallback }
        hiddenId: { type: string }
        value: { type: string }
        answer: { $ref: '#/components/schemas/TextAnswer' }
    ValidatedCreateUsernameCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, failedPolicies, validateOnly, value, answer]
      properties:
        id: { type: string }
        type: { const: ValidatedCreateUsernameCallback }
        prompt: { type: string }
        policies: {}
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        value: { type: string }
        answer: { type: object }
    ValidatedCreatePasswordCallback:
      type: object
      additionalProperties: false
      required: [id, type, prompt, failedPolicies, validateOnly, echoOn, answer]
      properties:
        id: { type: string }
        type: { const: ValidatedCreatePasswordCallback }
        prompt: { type: string }
        policies: {}
        failedPolicies: { type: array, items: { $ref: '#/components/schemas/FailedPolicy' } }
        validateOnly: { type: boolean }
        echoOn: { type: boolean }
        answer: { type: object }
    UnsupportedCallback:
      description: A type that the server does not know; it goes back to the provider as it came.
      type: object
      additionalProperties: false
      required: [id, type, outputs, raw]
      properties:
        id: { type: string }
        type:
          type: string
          not:
            enum: [NameCallback, PasswordCallback, TextInputCallback, TextOutputCallback, ChoiceCallback,
              ConfirmationCallback, HiddenValueCallback, ValidatedCreateUsernameCallback,
              ValidatedCreatePasswordCallback]
        outputs: { type: object }
        raw: { type: object }
    FailedPolicy:
      type: object
      required: [policyRequirement]
      properties:
        policyRequirement: { type: string }
        params: { type: object }
    TextAnswer:
      type: object
      additionalProperties: false
      required: [type]
      properties:
        type: { const: string }
    SecretAnswer:
      type: object
      additionalProperties: false
      required: [type, writeOnly]
      properties:
        type: { const: string }
        writeOnly: { const: true }

    Problem:
      description: A problem document (RFC 9457).
      type: object
      additionalProperties: false
      required: [type, title, status, detail, instance]
      properties:
        type: { $ref: '#/components/schemas/ProblemType' }
        title: { type: string }
        status: { type: integer, minimum: 400, maximum: 599 }
        detail: { type: string }
        instance: { type: string, description: The request id. }
        retryAfter: { type: integer, minimum: 1, description: Seconds. }
        fields: { type: array, items: { $ref: '#/components/schemas/Field' } }
        stepUp: { $ref: '#/components/schemas/StepUp' }
        required: { $ref: '#/components/schemas/Required' }
        node: { $ref: '#/components/schemas/Node' }
    StepUp:
      description: How to get a stronger token, with `step-up-required`; pass `for` to `start` of the instance.
      type: object
      additionalProperties: false
      required: [instance, start, for]
      properties:
        instance: { type: string }
        start: { type: string, description: The path of that `start` below the base path. }
        for: { type: string, maxLength: 64 }
    Required:
      description: What a token has to show.
      type: object
      additionalProperties: false
      properties:
        authLevel: { type: integer, minimum: 1 }
        amr:
          type: object
          additionalProperties: false
          minProperties: 1
          maxProperties: 1
          properties:
            all: { type: array, items: { type: string } }
            any: { type: array, items: { type: string } }
        acr: { type: string, description: The value for `acr_values`. }
        scope: { type: array, items: { type: string } }
        maxAge: { type: integer, minimum: 0, description: Seconds since the user authenticated. }
    ProblemType:
      enum:
        - /problems/malformed
        - /problems/duplicate-cookie
        - /problems/signed-out
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
        - /problems/method-not-allowed
        - /problems/request-timeout
        - /problems/session-changed
        - /problems/stale-step
        - /problems/step-in-progress
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
    Field:
      type: object
      additionalProperties: false
      required: [id, code, message]
      properties:
        id: { type: string, description: The member of the request or the question. }
        code: { type: string, pattern: '^[a-z]+(-[a-z]+)*$' }
        message: { type: string, description: For the developer. }

    Health:
      type: object
      additionalProperties: false
      required: [status]
      properties:
        status: { enum: [ok, ready] }

"""####
}
